import { installLines, type Shell, shells } from '../help/own-tables.js';

/** What each shell runs at its start; it asks this program for the words whenever Tab is pressed. */
const scripts: Readonly<Record<Shell, string>> = {
  bash: `_postern() {
  local line path
  COMPREPLY=()
  while IFS= read -r line; do
    case $line in
      :file*) _postern_paths -f "$2" ;;
      :command*) _postern_paths -c "$2" ;;
      :nospace) compopt -o nospace 2> /dev/null ;;
      *) COMPREPLY+=("$line") ;;
    esac
  done < <(postern __complete bash "\${COMP_LINE:0:COMP_POINT}" "$COMP_WORDBREAKS" 2> /dev/null)
}
_postern_paths() {
  compopt -o filenames 2> /dev/null
  while IFS= read -r path; do COMPREPLY+=("$path"); done < <(compgen "$1" -- "\${2#=}")
}
complete -F _postern postern`,
  zsh: String.raw`_postern() {
  local line
  local -a lines values texts shown open
  local -i at width=0
  lines=("${'$'}{(@f)$(postern __complete zsh "${'$'}{(@Q)words[2,CURRENT]}" 2> /dev/null)}")
  for line in "${'$'}{(@)lines}"; do
    case $line in
      (:file*) compset -P '--[^=]#='; _files; return ;;
      (:command*)
        local -i behind=$words[(i)--]
        shift behind words
        (( CURRENT -= behind ))
        _normal
        return ;;
      (:nospace) open=(-S '') ;;
      (?*)
        values+=("${'$'}{line%%$'\t'*}")
        texts+=("${'$'}{${'$'}{line#*$'\t'}#$values[-1]}")
        (( $#values[-1] > width )) && width=$#values[-1] ;;
    esac
  done
  for (( at = 1; at <= $#values; at++ )); do
    line="${'$'}{(r:width + 2:)values[at]}$texts[at]"
    shown+=("${'$'}{line[1,COLUMNS - 1]}")
  done
  (( $#values )) && compadd $open -l -d shown -a values
}
(( $+functions[compdef] )) || { autoload -Uz compinit && compinit }
compdef _postern postern`,
  fish: String.raw`function __postern_words
    set -l before (commandline -opc)
    set -l word (commandline -ct)
    for line in (postern __complete fish $before[2..-1] "$word" 2>/dev/null)
        set -l parts (string split \t -- $line)
        switch $parts[1]
            case :file
                __fish_complete_path (string replace -- "$parts[2]" '' $word) | string replace -r '^' -- "$parts[2]"
            case :command
                complete -C (string join ' ' -- (string escape -- $before[(math 1 + (contains -i -- -- $before))..-1]) $word)
            case :nospace
            case '*'
                printf '%s\n' $line
        end
    end
end
complete -c postern -f -a '(__postern_words)'`,
  powershell: `Register-ArgumentCompleter -Native -CommandName postern -ScriptBlock {
  param($word, $ast, $cursor)
  $length = $cursor - $ast.Extent.StartOffset
  $line = $ast.ToString().PadRight($length).Substring(0, $length)
  postern __complete powershell $line 2>$null | Where-Object { $_ -notlike ':*' } | ForEach-Object {
    $value, $text = $_ -split "\`t", 2
    if (-not $text) { $text = $value }
    [System.Management.Automation.CompletionResult]::new($value, $value, 'ParameterValue', $text)
  }
}`,
};

/**
 * What a shell is to run at its start.
 * @param given The shell's name; without, the one in `$SHELL`.
 */
export function completionScript(given: string | undefined, env: Readonly<Record<string, string | undefined>>): string {
  const shell = shellOf(given, env);
  return `# Completes the words of postern in ${shell}. Installed by: ${installLines[shell]}\n${scripts[shell]}\n`;
}

function shellOf(given: string | undefined, env: Readonly<Record<string, string | undefined>>): Shell {
  const isNamed = (one: Shell) => (given === undefined ? env['SHELL']?.endsWith(one) === true : given === one);
  return given === 'pwsh' ? 'powershell' : (shells.find(isNamed) ?? 'bash');
}
