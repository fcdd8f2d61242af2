#compdef berth
# berth.zsh - Completion of berth for zsh.
_berth() {
  local -a commands
  commands=(
    'run:run a script in Python, or a graph'
    'explain:tell where every node of a graph goes, and why'
    'plan:tell how much memory a run will take'
    'report:make a page of a memory plan or snapshot'
    'devices:list what there is to run on'
    'top:show who holds how much of which card'
    'memory:tell what a process holds of cards'
    'ops:list operations, or describe one'
  )
  if (( CURRENT == 2 )); then
    _describe command commands
    _arguments '--help[explain]' '--version[print the version]'
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT-- ))
  case $command in
    run)
      _arguments \
        '(--tf2)--tf1[the script is of TF1]' \
        '(--tf1)--tf2[the script is of TF2]' \
        '--explain[say why operations are where they are]' \
        '--gpu=[use these cards, or the freest]:cards' \
        '(-v --verbose)'{-v,--verbose}'[say which cards were chosen]' \
        '--visible=[use only these cards]:cards' \
        '--growth[hold only the GPU memory that is used]' \
        '--memory-limit=[hold at most that much of each card]:megabytes' \
        '--memory-fraction=[hold at most that part of each card]:fraction' \
        '--budget=[hold at most that of each card in all]:size' \
        '--floor=[have that of each card for certain]:size' \
        '--margin=[leave that of each card free]:size' \
        '--wait=[wait so long for memory]:seconds' \
        '--give-back=[give back what was not used for so long]:seconds' \
        '--log-level=[drop lines of the log]:level:(0 1 2 3)' \
        '--tf-version=[treat memory as that TensorFlow]:version' \
        '*--feed=[a value: NAME=VALUE or NAME=@FILE.npy]:feed' \
        '*--fetch=[compute and print this]:name' \
        '*--out=[write it there instead]:file:_files -g "*.npy"' \
        '*--target=[run this without a value]:node' \
        '--log-placement=-[show where every node goes]::style:(default tf2 classic)' \
        '--soft-placement[use another device where one is missing]' \
        '*--device-count=[have that many devices]:count' \
        '--simulate=[make cards in software]:cards' \
        '--threads=[threads for one operation]:number' \
        '--timeout=[give up after that]:seconds' \
        '--repeat=[run several times and time it]:number' \
        '--trace=[write the time of every node]:file:_files -g "*.json"' \
        '--help[explain]' \
        ':graph:_files -g "*.(pb|pbtxt|txt|py)"'
      ;;
    explain)
      _arguments \
        '--devices=[imagine these devices]:list' \
        '--gpus=[imagine that many GPUs]:number' \
        '--simulate=[make cards in software]:cards' \
        '--soft-placement[use another device where one is missing]' \
        '--strict[a CPU that nothing asked for is an error]' \
        '--json[as JSON]' \
        '--help[explain]' \
        ':graph:_files -g "*.(pb|pbtxt|txt)"'
      ;;
    plan)
      _arguments \
        '*--feed-shape=[what is fed]:NAME=SHAPE' \
        '*--fetch=[what is computed]:name' \
        '*--target=[run this too]:node' \
        '--batch=[what ? in a shape stands for]:count' \
        '--limit=[tell the largest batch that fits]:size' \
        '--device=[the device that the limit is about]:name' \
        '--steps[print what is held at every step]' \
        '--simulate=[make cards in software]:spec' \
        '--soft-placement[use another device where one is missing]' \
        '--json[as JSON]' '--help[explain]' '*:graph:_files'
      ;;
    report)
      _arguments '(-o --out)'{-o,--out=}'[write the page there]:file:_files' '--help[explain]' '*:plan:_files'
      ;;
    top)
      _arguments '--once[once, and not again and again]' '--json[as JSON]' \
        '--interval=[seconds between two looks]:seconds' \
        '--simulate=[make cards in software]:spec' '--help[explain]'
      ;;
    memory)
      _arguments '--json[as JSON]' '--simulate=[make cards in software]:spec' '--help[explain]'
      ;;
    devices)
      _arguments '--simulate=[make cards in software]:cards' \
        '--json[as JSON]' '--help[explain]'
      ;;
    ops)
      _arguments \
        '--missing=[list what of a graph has no kernel]:graph:_files' \
        '--gpus=[imagine that many GPUs]:number' \
        '--simulate=[make cards in software]:cards' \
        '--json[as JSON]' '--help[explain]' \
        ":operation:($(berth ops 2>/dev/null | awk 'NR > 1 {print $1}'))"
      ;;
  esac
}
_berth "$@"
