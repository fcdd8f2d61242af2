# berth.fish - Completion of berth for fish.
set -l commands run explain devices ops
complete -c berth -f
complete -c berth -n "not __fish_seen_subcommand_from $commands" -a run -d 'run a graph'
complete -c berth -n "not __fish_seen_subcommand_from $commands" -a explain -d 'tell where every node of a graph goes, and why'
complete -c berth -n "not __fish_seen_subcommand_from $commands" -a devices -d 'list what there is to run on'
complete -c berth -n "not __fish_seen_subcommand_from $commands" -a ops -d 'list operations, or describe one'
complete -c berth -l help -d 'explain'
complete -c berth -n "not __fish_seen_subcommand_from $commands" -l version -d 'print the version'

complete -c berth -n '__fish_seen_subcommand_from run explain' -F
complete -c berth -n '__fish_seen_subcommand_from run' -l feed -x -d 'a value: NAME=VALUE or NAME=@FILE.npy'
complete -c berth -n '__fish_seen_subcommand_from run' -l fetch -x -d 'compute and print this'
complete -c berth -n '__fish_seen_subcommand_from run' -l out -r -d 'write it there instead'
complete -c berth -n '__fish_seen_subcommand_from run' -l target -x -d 'run this without a value'
complete -c berth -n '__fish_seen_subcommand_from run' -l log-placement -a 'default tf2 classic' -d 'show where every node goes'
complete -c berth -n '__fish_seen_subcommand_from run' -l device-count -x -d 'have that many devices'
complete -c berth -n '__fish_seen_subcommand_from run' -l threads -x -d 'threads for one operation'
complete -c berth -n '__fish_seen_subcommand_from run' -l timeout -x -d 'give up after that many seconds'
complete -c berth -n '__fish_seen_subcommand_from run' -l repeat -x -d 'run several times and time it'
complete -c berth -n '__fish_seen_subcommand_from run' -l trace -r -d 'write the time of every node'
complete -c berth -n '__fish_seen_subcommand_from run explain' -l soft-placement -d 'use another device where one is missing'
complete -c berth -n '__fish_seen_subcommand_from explain' -l devices -x -d 'imagine these devices'
complete -c berth -n '__fish_seen_subcommand_from explain' -l gpus -x -d 'imagine that many GPUs'
complete -c berth -n '__fish_seen_subcommand_from explain' -l strict -d 'a CPU that nothing asked for is an error'
complete -c berth -n '__fish_seen_subcommand_from run explain devices' -l simulate -x -d 'make cards in software'
complete -c berth -n '__fish_seen_subcommand_from explain devices ops' -l json -d 'as JSON'
complete -c berth -n '__fish_seen_subcommand_from ops' -a "(berth ops 2>/dev/null | awk 'NR > 1 {print \$1}')"
