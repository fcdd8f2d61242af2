# berth.bash - Completion of berth for bash.
_berth() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
  local command=${COMP_WORDS[1]}
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W 'run explain plan report devices top memory ops --help --version' -- "$current"))
    return
  fi
  case $previous in
    -o | --out | --trace | --missing)
      COMPREPLY=($(compgen -f -- "$current"))
      return
      ;;
    --device-count)
      COMPREPLY=($(compgen -W 'CPU= GPU=' -- "$current"))
      return
      ;;
    --feed | --fetch | --target | --threads | --timeout | --repeat | --gpus | --devices | --simulate | \
      --gpu | --interval | --visible | --memory-limit | --memory-fraction | --budget | --floor | --margin | --wait | \
      --give-back | --log-level | --tf-version | --feed-shape | --batch | --limit | --device)
      return
      ;;
  esac
  local options
  case $command in
    run)
      options='--tf1 --tf2 --explain --gpu --verbose --visible --growth --memory-limit --memory-fraction --budget --floor
        --margin --wait --give-back --log-level
        --tf-version --feed --fetch --out --target --log-placement
        --log-placement=default --log-placement=tf2 --log-placement=classic
        --soft-placement --device-count --simulate --threads --timeout --repeat
        --trace --help'
      ;;
    explain) options='--devices --gpus --simulate --soft-placement --strict --json --help' ;;
    plan)
      options='--feed-shape --fetch --target --batch --limit --device --steps --simulate --soft-placement
        --json --help'
      ;;
    report) options='-o --out --help' ;;
    top) options='--once --json --interval --simulate --help' ;;
    memory) options='--json --simulate --help' ;;
    devices) options='--simulate --json --help' ;;
    ops)
      options='--missing --gpus --simulate --json --help'
      if [[ $current != -* ]]; then
        COMPREPLY=($(compgen -W "$(berth ops 2>/dev/null | awk 'NR > 1 {print $1}')" -- "$current"))
        return
      fi
      ;;
    *) return ;;
  esac
  if [[ $current == -* ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$current"))
  else
    COMPREPLY=($(compgen -f -- "$current"))
  fi
}
complete -o filenames -F _berth berth
