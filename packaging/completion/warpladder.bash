# bash completion for warpladder and warpladder-mpi. What there is to complete, the program itself says: `warpladder --words` prints command, option,
# argument, values and help, tab-separated; a command's own line has no command in front, its arguments' line no option.
_warpladder() {
    local program=$1 word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]} found argument
    COMPREPLY=()
    # Bash splits --option=value into three words.
    if [ "$word" = = ]; then word=''; elif [ "$before" = = ]; then before=${COMP_WORDS[COMP_CWORD - 2]}; fi
    if [ "$COMP_CWORD" -eq 1 ]; then
        mapfile -t COMPREPLY < <(compgen -W "$("$program" --words 2>/dev/null | awk -F '\t' '$1 == "" { print $2 }')" -- "$word")
        return
    fi
    found=$("$program" "$command" --words 2>/dev/null | awk -F '\t' -v option="$before" '$2 == option && option != "" { print $3 "\t" $4 }')
    argument=${found%%$'\t'*}
    if [ -n "$argument" ]; then # the value of an option
        if [ "$before" = --variant ]; then
            found=$("$program" list --tsv | awk -F '\t' 'NR > 1 { print $1 "/" $2 }' | sort -u)
        else
            found=${found#*$'\t'}
        fi
    elif [[ $word == -* ]]; then
        found=$("$program" "$command" --words 2>/dev/null | awk -F '\t' '{ print $2 }')
    else
        argument=$("$program" "$command" --words 2>/dev/null | awk -F '\t' '$2 == "" { print $3 }') found=''
        case $argument in
            *PROBLEM*) found=$("$program" list --tsv | awk -F '\t' 'NR > 1 { print $1; print $1 "/" $2 }' | sort -u) ;;
            *PAPER*) found=$("$program" reproduce 2>/dev/null | awk '{ print $1 }') ;;
        esac
    fi
    mapfile -t COMPREPLY < <(compgen -W "$found" -- "$word")
    if [ -z "$found" ] || { [ "${argument#*FILE}" != "$argument" ] && [ ${#COMPREPLY[@]} -eq 0 ]; }; then
        mapfile -t COMPREPLY < <(compgen -f -- "$word")
        compopt -o filenames 2>/dev/null
    fi
}
complete -F _warpladder warpladder warpladder-mpi
