// Shows what /api/v1/history tells, and asks it again every five seconds.
'use strict';

const pause_ms = 5000;
const patience_ms = 10000;
const minute_steps = 6;
const few_packets = 100;
const causes = ['tasks', 'interrupts', 'hypervisor', 'core', 'cache', 'unexplained'];
const cause_texts = {
  tasks: 'other threads',
  interrupts: 'interrupts',
  hypervisor: 'hypervisor',
  core: 'slower core',
  cache: 'waiting for memory',
  unexplained: 'unexplained',
};

const find = (id) => document.getElementById(id);
const color = (name) => getComputedStyle(document.documentElement).getPropertyValue('--' + name).trim();
const sum = (values) => values.reduce((a, b) => a + b, 0);

// Figures as people read them


const grouped = (value) => value.toLocaleString('en', { maximumFractionDigits: 0 }).replaceAll(',', '\u202f');
const percent = (value) => (Number.isFinite(value) ? (100 * value).toFixed(1) + '\u00a0%' : '–');
const seconds = (value) => value.toFixed(2) + '\u00a0s';
const clock = (unix) => new Date(1000 * unix).toLocaleTimeString('en-GB');

function span(length) {
  for (const [unit, size] of [['d', 86400], ['h', 3600], ['min', 60]])
    if (length >= 2 * size) return Math.round(length / size) + '\u00a0' + unit;
  return Math.round(length) + '\u00a0s';
}

// What a unit of work cost, with its interval
function demand(cost, work) {
  if (!cost || cost.packets < few_packets || work <= 0) return '–';
  const seconds = cost.cpu_seconds / work;
  const [scale, unit] = seconds < 1e-5 ? [1e9, 'ns'] : [1e6, 'µs'];
  const value = seconds * scale;
  const error = (2 * cost.standard_error_seconds / work) * scale;
  const places = Math.min(3, Math.max(0, 2 - Math.floor(Math.log10(value))));
  return value.toFixed(places) + (error > 0 ? ' ± ' + error.toFixed(places) : '') + '\u00a0' + unit;
}
const per_packet = (cost) => cost && demand(cost, cost.packets);
const per_kb = (cost) => cost && demand(cost, cost.bytes / 1024);
const worker = (cost) => cost.device ?? 'the host';

// What the steps tell

// Busy time and cache, each as a share of the time that it is known for; null: not known.
function busy_share(steps, from, to) {
  const busy = steps.busy_seconds.slice(from, to);
  const accounted = sum(steps.accounted_seconds.slice(from, to));
  if (!accounted || busy.includes(null)) return null;
  return sum(busy) / accounted + cache_share(steps, Math.min(from, Math.max(0, to - minute_steps)), to);
}
function cache_share(steps, from, to) {
  const covered = sum(steps.carried_over_seconds.slice(from, to));
  return covered > 0 ? sum(steps.carried_over_cache_seconds.slice(from, to)) / covered : 0;
}
function share(steps, name, from, to) {
  const accounted = sum(steps.accounted_seconds.slice(from, to));
  return accounted ? sum(steps[name].slice(from, to)) / accounted : null;
}
function cause_share(steps, cause, from, to) {
  const observed = sum(steps.soaked_phase_seconds.slice(from, to));
  if (!observed) return null;
  return sum(steps.causes[cause].slice(from, to).map((value) => value ?? 0)) / observed;
}

const in_percent = (value) => (value === null ? null : 100 * value);

function load_rows(steps) {
  return steps.end_unix_seconds.map((time, at) => [
    new Date(1000 * time),
    in_percent(busy_share(steps, at, at + 1)),
    in_percent(share(steps, 'tick_busy_seconds', at, at + 1)),
    in_percent(share(steps, 'steal_seconds', at, at + 1)),
  ]);
}
function cause_rows(steps, names) {
  return steps.end_unix_seconds.map((time, at) => [
    new Date(1000 * time),
    ...names.map((name) => in_percent(cause_share(steps, name, Math.max(0, at + 1 - minute_steps), at + 1))),
  ]);
}

// Charts

class Chart {
  constructor(id, series, options) {
    this.element = find(id);
    this.legend = find(id + '-legend');
    this.text = find(id + '-text');
    this.series = series; // [{label, color}]
    this.options = options;
  }

  colors() {
    return this.series.map((one) => color(one.color));
  }

  draw(rows, hour) {
    if (rows.length === 0) return;
    this.rows = rows;
    const range = [rows[0][0].getTime(), Math.max(rows.at(-1)[0].getTime(), rows[0][0].getTime() + 60000)];
    if (hour) range[0] = range[1] - 3600000;
    if (this.graph) {
      this.graph.updateOptions({ file: rows, dateWindow: range });
    } else {
      this.graph = new Dygraph(this.element, rows, {
        labels: ['time', ...this.series.map((one) => one.label)],
        colors: this.colors(),
        axisLabelFontSize: 12,
        axisLineColor: color('line'),
        gridLineColor: color('line'),
        dateWindow: range,
        includeZero: true,
        interactionModel: {},
        legend: 'never',
        strokeWidth: 1.5,
        valueRange: [0, null],
        axes: { y: { axisLabelWidth: 34, axisLabelFormatter: (value) => value + '\u00a0%' } },
        highlightCallback: (event, x, points, row) => this.tell(row),
        unhighlightCallback: () => this.tell(this.rows.length - 1),
        ...this.options,
      });
    }
    this.tell(rows.length - 1);
  }

  recolor() {
    this.graph?.updateOptions({
      colors: this.colors(),
      axisLineColor: color('line'),
      gridLineColor: color('line'),
    });
    if (this.rows) this.tell(this.rows.length - 1);
  }

  tell(row) {
    const [time, ...values] = this.rows[row];
    const said = (value) => (value === null ? '–' : value.toFixed(1) + '\u00a0%');
    this.legend.replaceChildren(
      ...this.series.map((one, at) => {
        const item = document.createElement('span');
        const mark = document.createElement('i');
        mark.style.background = color(one.color);
        item.append(mark, one.label + ' ' + said(values[at]));
        return item;
      }),
      clock(time / 1000),
    );
    this.text.textContent =
      'At ' + clock(time / 1000) + ': ' + this.series.map((one, at) => one.label + ' ' + said(values[at])).join(', ');
  }
}

// One strip a CPU

class Strips {
  constructor() {
    this.canvas = find('strips');
    this.text = find('strip-text');
    this.cpu = this.at = 0;
    this.canvas.addEventListener('pointermove', (event) => this.point(event));
    this.canvas.addEventListener('keydown', (event) => this.key(event));
  }

  draw(steps, hour_steps) {
    this.steps = steps;
    this.count = hour_steps;
    const cpus = steps.cpus.length;
    if (!cpus) return;
    const scale = window.devicePixelRatio || 1;
    this.pitch = cpus <= 8 ? 26 : cpus <= 32 ? 14 : 8;
    const width = this.canvas.clientWidth;
    const height = this.pitch * cpus;
    this.canvas.style.height = height + 'px';
    this.canvas.width = width * scale;
    this.canvas.height = height * scale;
    this.left = 46;
    const to = this.canvas.getContext('2d');
    to.scale(scale, scale);
    to.font = '12px system-ui, sans-serif';
    to.textBaseline = 'middle';
    const gap = this.pitch > 10 ? 3 : 1;
    const every = Math.ceil(16 / this.pitch);
    const column = (width - this.left) / this.count;
    const offset = this.count - steps.end_unix_seconds.length;
    steps.cpus.forEach((cpu, row) => {
      const top = row * this.pitch;
      to.globalAlpha = 1;
      to.fillStyle = color('faint');
      if (row % every === 0) to.fillText('cpu' + cpu.cpu, 0, top + this.pitch / 2);
      to.fillStyle = color('idle');
      to.fillRect(this.left, top, width - this.left, this.pitch - gap);
      to.fillStyle = color('busy');
      cpu.busy_percent.forEach((busy, at) => {
        if (!busy) return;
        to.globalAlpha = Math.min(1, 0.08 + (0.92 * busy) / 100);
        to.fillRect(this.left + (offset + at) * column, top, Math.max(column, 1), this.pitch - gap);
      });
    });
  }

  point(event) {
    if (!this.steps?.cpus.length) return;
    const box = this.canvas.getBoundingClientRect();
    const offset = this.count - this.steps.end_unix_seconds.length;
    this.cpu = Math.floor((event.clientY - box.top) / this.pitch);
    this.at = Math.floor(((event.clientX - box.left - this.left) / (box.width - this.left)) * this.count) - offset;
    this.tell();
  }

  key(event) {
    const moves = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
    const move = moves[event.key];
    if (!move || !this.steps?.cpus.length) return;
    event.preventDefault();
    if (this.at === undefined) this.at = this.steps.end_unix_seconds.length - 1;
    this.cpu += move[0];
    this.at += move[1];
    this.tell();
  }

  tell() {
    const within = (value, size) => Math.max(0, Math.min(size - 1, value));
    this.cpu = within(this.cpu, this.steps.cpus.length);
    this.at = within(this.at, this.steps.end_unix_seconds.length);
    const cpu = this.steps.cpus[this.cpu];
    const busy = cpu.busy_percent[this.at];
    this.text.textContent =
      'cpu' + cpu.cpu + ' at ' + clock(this.steps.end_unix_seconds[this.at]) + ': ' +
      (busy === null ? 'not there' : busy + ' % busy');
  }
}

// Texts

function show_facts(id, facts) {
  find(id).replaceChildren(
    ...facts.flatMap(([name, text, key]) => {
      const term = document.createElement('dt');
      const value = document.createElement('dd');
      term.textContent = name;
      value.textContent = text;
      if (key) value.id = key;
      return [term, value];
    }),
  );
}

function show_warnings(data) {
  const section = find('warnings');
  const texts = data.warnings.map((warning) => warning.text);
  if (data.obstacle) texts.unshift('Nothing is counted just now: ' + data.obstacle);
  section.hidden = texts.length === 0;
  section.replaceChildren(
    ...texts.map((text) => {
      const line = document.createElement('p');
      line.textContent = '⚠ ' + text;
      return line;
    }),
  );
}

function show_now(data) {
  const steps = data.steps;
  const count = steps.end_unix_seconds.length;
  const from = Math.max(0, count - minute_steps);
  const cost = data.last_minute;
  find('now-busy').textContent = cost ? percent(cost.cpu_seconds / cost.accounted_seconds) : '–';
  find('now-top').textContent = percent(share(steps, 'tick_busy_seconds', from, count) ?? NaN);
  find('now-steal').textContent = percent(share(steps, 'steal_seconds', from, count) ?? NaN);
  find('now-packet').textContent = per_packet(cost) ?? '–';
  find('now-packet-note').textContent =
    !cost || cost.packets < few_packets
      ? 'there were hardly any'
      : 'on ' + worker(cost) + '; everything that ran included';
}

function show_demand(data) {
  const row = (name, cost, length) => {
    const line = document.createElement('tr');
    const cells = cost
      ? [name, worker(cost), grouped(cost.packets / length), per_packet(cost), per_kb(cost),
         percent(cost.cpu_seconds / cost.accounted_seconds)]
      : [name, '–', '–', '–', '–', '–'];
    const names = ['over', 'work of', 'packets/s', 'per packet', 'per KB', 'busy'];
    cells.forEach((text, at) => {
      const cell = document.createElement('td');
      cell.dataset.name = names[at];
      cell.textContent = text;
      line.append(cell);
    });
    return line;
  };
  const steps = data.steps.end_unix_seconds.length;
  const length = (most) => Math.max(1, Math.min(most / data.step_seconds, steps)) * data.step_seconds;
  const name = (most) => (length(most) === most && most === 3600 ? 'an hour' : span(length(most)));
  find('demand').tBodies[0].replaceChildren(
    row(name(60), data.last_minute, length(60)),
    row(name(3600), data.last_hour, length(3600)),
  );
}

function calibration_text(data) {
  const texts = {
    good: 'good',
    uncertain: 'uncertain: it was taken on a busy machine',
    doubtful: 'doubtful: windows have contradicted it, it will be taken again',
    missing: 'missing: not taken yet',
  };
  const when = data.calibration.unix_seconds;
  const age = when ? ', taken ' + span(Math.max(0, data.unix_seconds - when)) + ' ago' : '';
  return texts[data.calibration.state] + age;
}

function show_trust(data) {
  const disturbed = {
    true: 'no: packets and interrupts are the same inside windows and outside, so what waits for memory is added',
    false: 'yes: what windows see of memory is not added to the load',
  };
  const discarded = Object.entries(data.windows_discarded);
  const thrown = sum(discarded.map(([, count]) => count));
  const observed = data.since_start.soaked_phase_seconds / data.since_start.accounted_seconds;
  const own = data.own.cpu_seconds + data.soakers_cpu_seconds;
  show_facts('trust', [
    ['Calibration', calibration_text(data)],
    ['Windows', grouped(data.windows_kept) + ' kept, ' + grouped(thrown) + ' thrown away' +
      (thrown ? ' (' + discarded.filter(([, n]) => n).map(([why, n]) => why + ' ' + n).join(', ') + ')' : '')],
    ...(data.windows_beside_strangers === undefined ? [] : [['Beside strangers',
      percent(data.windows_beside_strangers / data.windows_kept || 0) +
      ' of the windows: a neighbour of this virtual machine was on the core; what waited for memory there is left out']]),
    ['Soaked', percent(observed) + ' of the time'],
    ['Do windows disturb?', disturbed[data.undisturbed] ?? 'not known yet: too few windows'],
    ['Yields by', data.yielding],
    ['The agent costs', percent(own / data.since_start.accounted_seconds) + ' of all CPU time, ' +
      (data.own.resident_bytes / 2 ** 20).toFixed(1) + '\u00a0MB'],
  ]);
}

function show_totals(data) {
  const all = data.since_start;
  show_facts('totals', [
    ['Counted', seconds(all.accounted_seconds) + ' of CPU time', 'total-accounted'],
    ['Busy', all.busy_seconds === undefined ? 'not known' : seconds(all.busy_seconds), 'total-busy'],
    ['Waited for memory', seconds(all.carried_over_cache_seconds) + ' ± ' +
      seconds(2 * Math.sqrt(all.carried_over_cache_variance)), 'total-cache'],
    ['Steal', seconds(all.steal_seconds), 'total-steal'],
    ['Windows', grouped(data.windows_kept), 'total-windows'],
    ['Paused', seconds(data.paused_seconds), 'total-paused'],
  ]);
}

// Together

// It sets inline styles, and the legends are ours.
Dygraph.PLUGINS = Dygraph.PLUGINS.filter((plugin) => plugin !== Dygraph.Plugins.Legend);

const load = new Chart('load', [
  { label: 'busy', color: 'busy' },
  { label: 'as top says', color: 'top' },
  { label: 'hypervisor', color: 'steal' },
  ], { series: { busy: { fillGraph: true, strokeWidth: 2 }, 'as top says': { strokePattern: [5, 3] } } });
let by_cause = null; // of the causes that can be told apart there
const strips = new Strips();
let latest = null;

function draw_causes(data) {
  if (!data.steps.end_unix_seconds.length) return null;
  const names = causes.filter((name) => data.steps.causes[name]);
  const series = names.map((name) => ({ label: cause_texts[name], color: name }));
  return Object.assign(new Chart('causes', series, { stackedGraph: true, fillAlpha: 0.6 }), { names });
}

function show(data) {
  latest = data;
  const full = 3600 / data.step_seconds;
  const old = data.steps.end_unix_seconds.length >= 60;
  find('host').textContent = [location.host, data.host.kernel, data.host.cpu_model].filter(Boolean).join(' · ');
  document.title = location.hostname + ' – cyclesoak';
  show_warnings(data);
  show_now(data);
  load.draw(load_rows(data.steps), old);
  by_cause ??= draw_causes(data);
  by_cause?.draw(cause_rows(data.steps, by_cause.names), old);
  strips.draw(data.steps, old ? full : Math.max(data.steps.end_unix_seconds.length, minute_steps));
  show_demand(data);
  show_trust(data);
  show_totals(data);
}

function show_link(state, text) {
  const link = find('link');
  if (link.textContent !== text) link.textContent = text;
  link.className = state;
}

async function update() {
  try {
    const answer = await fetch('api/v1/history', { signal: AbortSignal.timeout(patience_ms) });
    if (answer.status === 503) return show_link('', 'the agent is starting');
    if (!answer.ok) throw new Error('HTTP ' + answer.status);
    show(await answer.json());
    show_link('live', '● live');
  } catch (error) {
    const since = latest ? ', figures are of ' + clock(latest.unix_seconds) : '';
    show_link('lost', 'the agent does not answer' + since + '; trying on');
  }
}

async function run() {
  for (;;) {
    if (!document.hidden) await update();
    await new Promise((resolve) => setTimeout(resolve, pause_ms));
  }
}

window.addEventListener('resize', () => latest && show(latest));
document.addEventListener('visibilitychange', () => !document.hidden && update());
window.matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
  load.recolor();
  by_cause?.recolor();
  if (latest) show(latest);
});
run();
