/** `assent completion bash|zsh|fish`: a script that completes nouns, verbs and options. */

import { Argument, type Command, Option } from "commander";

const SHELLS: Readonly<Record<string, (table: Table) => string>> = { bash, zsh, fish };

export function register(program: Command): void {
  program
    .command("completion")
    .description("print a script that completes commands and options in a shell")
    .addArgument(new Argument("<shell>", "the shell").choices(Object.keys(SHELLS)))
    .addHelpText(
      "after",
      `
bash:  assent completion bash > ~/.local/share/bash-completion/completions/assent
zsh:   assent completion zsh > "\${fpath[1]}/_assent"
fish:  assent completion fish > ~/.config/fish/completions/assent.fish`,
    )
    .action(print);
}

/** What can come next, by the words before: a noun, a noun and a verb, or these with an option that has choices. */
type Table = ReadonlyMap<string, readonly string[]>;

function tableOf(program: Command): Table {
  const table = new Map<string, readonly string[]>();
  const visit = (command: Command, path: readonly string[]) => {
    const below = command.createHelp().visibleCommands(command);
    const options = command.createHelp().visibleOptions(command);
    const flags = options.map(({ long, short }) => long ?? short ?? "");
    table.set(path.join(" "), [...below.map((one) => one.name()), ...flags]);
    for (const option of options.filter((one): one is Option => one instanceof Option)) {
      const { argChoices, long } = option;
      if (argChoices !== undefined && long) table.set([...path, long].join(" "), argChoices);
    }
    for (const one of below.filter((each) => each.name() !== "help")) visit(one, [...path, one.name()]);
  };
  visit(program, []);
  return table.set("completion", Object.keys(SHELLS));
}

function print(shell: string, _options: object, command: Command): void {
  process.stdout.write(SHELLS[shell]?.(tableOf(command.parent ?? command)) ?? "");
}

function cases(table: Table, line: (key: string, words: string) => string): string {
  return [...table].map(([key, words]) => line(key, words.join(" "))).join("\n");
}

/** The first two words that are no options name the command. */
function bash(table: Table): string {
  return `_assent() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" word found=""
  local -a path=()
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    [[ $word != -* && \${#path[@]} -lt 2 ]] && path+=("$word")
  done
  _assent_words "\${path[*]} $previous" || _assent_words "\${path[*]}" || _assent_words "\${path[0]}"
  COMPREPLY=($(compgen -W "$found" -- "$current"))
}
_assent_words() {
  case "$1" in
${cases(table, (key, words) => `    "${key}") found="${words}" ;;`)}
    *) return 1 ;;
  esac
}
complete -o default -F _assent assent
`;
}

function zsh(table: Table): string {
  return `#compdef assent
_assent_words() {
  case "$1" in
${cases(table, (key, words) => `    "${key}") found="${words}" ;;`)}
    *) return 1 ;;
  esac
}
_assent() {
  local found="" previous="\${words[CURRENT-1]}"
  local -a named=(\${\${words[2,CURRENT-1]}:#-*})
  local noun="\${named[1]}" both="\${named[1,2]}"
  _assent_words "$both $previous" || _assent_words "$both" || _assent_words "$noun"
  compadd -- \${=found}
}
if [ "$funcstack[1]" = "_assent" ]; then _assent; else compdef _assent assent; fi
`;
}

function fish(table: Table): string {
  return `function __assent_words
  switch "$argv[1]"
${cases(table, (key, words) => `    case "${key}"\n      string split " " "${words}"`)}
    case "*"
      return 1
  end
end
function __assent_complete
  set -l all (commandline -opc)
  set -l named (string match -v -- "-*" $all[2..-1])[1..2]
  __assent_words "$named $all[-1]"; or __assent_words "$named"; or __assent_words "$named[1]"
end
complete -c assent -f -a "(__assent_complete)"
`;
}
