# bash completion for cyclesoak: asks the program itself for its commands and options.
_cyclesoak() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
    local commands=() words='' help at
    for ((at = 1; at < COMP_CWORD; ++at)); do
        case ${COMP_WORDS[at]} in
        --) # a benchmark, with arguments of its own
            ((COMP_CWORD > at + 1)) || mapfile -t COMPREPLY < <(compgen -c -- "$word")
            return
            ;;
        [a-z]*) [[ ${COMP_WORDS[at - 1]} == -* ]] || commands+=("${COMP_WORDS[at]}") ;;
        esac
    done
    help=$("$1" "${commands[@]}" --help 2>/dev/null) || return

    case $word,$before in
    -*) # "  -x,--long ..." begins an option's line
        words=$(grep -Eo '^ +-[^ ]+' <<<"$help" | tr -s ', ' '\n') ;;
    *,-*) # and "yes|no" may follow its name
        words=$(grep -Eo -- "[ ,]$before [A-Za-z0-9]+(\|[A-Za-z0-9]+)+" <<<"$help" | sed 's/.* //' |
            tr '|' '\n' | grep -v '[A-Z]') ;;
    *) # "  command   ..." below "Subcommands:"
        words=$(sed -n '/^Subcommands:/,/^$/s/^  \([a-z]\+\) .*/\1/p' <<<"$help") ;;
    esac
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}
complete -o default -F _cyclesoak cyclesoak
