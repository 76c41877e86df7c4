// Type-checks each dashboard as a literal of Grafana's type Dashboard.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';

const folder = new URL('../../../dashboards/', import.meta.url);
const names = readdirSync(folder).filter((name) => name.endsWith('.json'));
if (names.length === 0) throw new Error('there are no dashboards');

const literals = names.map((name) => {
  const text = JSON.stringify(JSON.parse(readFileSync(new URL(name, folder), 'utf8')), null, 2);
  return `export const ${name.replace('.json', '')}: Dashboard = ${text};\n`;
});
writeFileSync('dashboards.ts', "import type { Dashboard } from '@grafana/schema';\n" + literals.join(''));
execFileSync('npx', ['tsc', '--project', '.'], { stdio: 'inherit' });
console.log(`${names.length} passed, 0 failed`);
