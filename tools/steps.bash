# SPDX-License-Identifier: Apache-2.0
# Long commands as steps of a plan, for ./dev: which step of how many, how far it is, what it is doing, and about how
# long all of it will still take: once a second on a terminal, once a minute in a log. What a step prints goes to
# build/log/STEP.log; where it fails, the part that says why is shown.

plan=()  # "NAME SECONDS": in order, with the time that each takes on two cores from nothing
done_seconds=0 done_planned=0
on_terminal=$([[ -t 1 ]] && echo yes || true)

say() { echo "dev: $*"; }

steps() {  # NAME SECONDS...: the plan; a command that runs as a part of another keeps the plan that is there
  ((${#plan[@]})) && return
  while (($#)); do plan+=("$1 $2") && shift 2; done
}

# progress FILE: "DONE ALL" from the last count in a log, of ninja ([3/7]), ctest (3/7 Test) or ours ([3/7]).
progress() {
  tail -c 20000 "$1" 2>/dev/null | sed -n 's/^ *\[\{0,1\}\([0-9]\{1,\}\)\/\([0-9]\{1,\}\)\(\]\| Test\).*/\1 \2/p' | tail -n 1
}

doing() {  # FILE: the end of its last line, in a few words
  tail -c 2000 "$1" 2>/dev/null | sed -n '/[^ ]/p' | tail -n 1 |
    sed 's/^ *\[[0-9/]*\] *//; s/^ *[0-9]*\/[0-9]* Test *#[0-9]*: *//; s/^ *Start *[0-9]*: *//; s/ \.\.\..*//; s/^.*CMakeFiles\/\([^ ]*\)\.dir\/.*\/\([^/]*\)\.o$/\2/' |
    cut -c 1-50
}

clock() {  # SECONDS: "3:05"
  printf '%d:%02d' $(($1 / 60)) $(($1 % 60))
}

# left NAME ELAPSED DONE ALL: about how many seconds the plan still takes. Steps to come count as planned, at the speed
# that this machine has shown so far. The longest tests run last: of those the plan knows more than their number says.
left() {
  local entry passed= later=0 own=0
  for entry in "${plan[@]}"; do
    if [[ -n $passed ]]; then later=$((later + ${entry#* })); fi
    if [[ ${entry% *} == "$1" ]]; then passed=yes own=${entry#* }; fi
  done
  awk -v uneven="$([[ $1 == test ]] && echo 1)" -v own="$own" -v later="$later" -v elapsed="$2" -v done="$3" -v all="$4" -v spent="$done_seconds" -v planned="$done_planned" 'BEGIN {
    part = all > 0 ? done / all : 0
    speed = planned >= 20 ? spent / planned : 1
    rest = own * (uneven ? 1 : speed) - elapsed
    if (part > 0.05) { by_count = elapsed * (1 - part) / part; if (!uneven || rest < by_count) rest = by_count; if (own > 0) speed = (spent + elapsed) / (planned + part * own) }
    if (speed > 4) speed = 4
    printf "%d", (rest > 0 ? rest : 0) + later * speed }'
}

report_progress() {  # NAME NUMBER LOG: until it is killed
  local started=$SECONDS counts line every=60 next
  [[ -n $on_terminal ]] && every=1
  next=$every
  while sleep 1 >/dev/null 2>&1; do  # which may outlive us, and must not hold the output open
    ((SECONDS - started >= next)) || continue
    next=$((SECONDS - started + every))
    read -r -a counts <<<"$(progress "$3")"
    line="[$2/${#plan[@]}] $1"
    ((${#counts[@]} == 2)) && line+=": ${counts[0]} of ${counts[1]}"
    line+=", $(doing "$3"), $(clock $((SECONDS - started))) so far"
    line+=", about $(clock "$(left "$1" $((SECONDS - started)) "${counts[0]:-0}" "${counts[1]:-0}")") left"
    if [[ -n $on_terminal ]]; then printf '\r\033[Kdev: %s' "$line"; else say "$line"; fi
  done
}

why_it_failed() {  # LOG
  if grep -q '^FAILED: ' "$1"; then
    sed -n '/^FAILED: /,$p' "$1" | head -n 200
  elif grep -q 'tests failed out of' "$1"; then
    awk '/\*\*\*/ {on = 1} /^ *Start +[0-9]+: / {on = 0} on' "$1" | head -n 500
    sed -n '/tests passed/,$p' "$1"
  else
    tail -n 60 "$1"
  fi
}

step() {  # NAME COMMAND...: one step of the plan; returns what the command returns
  local name=$1 number=0 entry own=0 log=build/log/$1.log started=$SECONDS code=0 reporter
  shift
  for entry in "${plan[@]}"; do
    number=$((number + 1))
    if [[ ${entry% *} == "$name" ]]; then own=${entry#* } && break; fi
  done
  mkdir -p build/log
  : >"$log"
  say "[$number/${#plan[@]}] $name"
  report_progress "$name" "$number" "$log" &
  reporter=$!
  trap 'kill "$reporter" 2>/dev/null || true' EXIT
  "$@" >"$log" 2>&1 || code=$?
  kill "$reporter" 2>/dev/null || true
  wait "$reporter" 2>/dev/null || true
  trap - EXIT
  [[ -n $on_terminal ]] && printf '\r\033[K'
  done_seconds=$((done_seconds + SECONDS - started))
  done_planned=$((done_planned + own))
  if ((code != 0)); then
    why_it_failed "$log"
    say "$name failed; its output is in $log"
  fi
  return "$code"
}
