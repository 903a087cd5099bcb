import type { Topic } from './topic.js';

const text = `
Other programs use a login in one of three ways: they start a command and speak stdio with it, they take a URL, or they ask for
headers. No token is written into any configuration: they run \`postern\` when they need one.

## Let postern make the entry

    postern setup --list
    postern setup claude work
    postern setup claude work --write
    postern setup claude work --check
    postern setup --check
    postern setup claude --undo
    postern login --from cursor --all

The first line says which programs are here. The second shows the entry, to look at or to copy; --write puts it there, and the
rest of the file keeps every byte. --check looks at what is written, runs it where postern wrote it, and says what the program
would get; without a program it does so for every entry that was ever written. --undo takes it back. The last line logs in to every server that a
program is set up for.

Where a proxy is the only way out, and the program does not pass \`HTTPS_PROXY\` on, --with-proxy names it in the entry (never one
with a password).

## Which programs

They ask for headers: claude, codex. They start \`postern bridge\`:

- in a terminal: copilot, cline, qwen, gemini, opencode, kilo, droid, grok, kimi, amp, goose, crush, devin-cli
- editors: cursor, vscode, vscode-insiders, vscodium, cline-vscode, zed, devin, windsurf, antigravity, kiro, junie, warp
- others: claude-desktop, lm-studio

They ask for a credential: git, kubectl, bazel, go, curl.

Each release is tried with the real claude, codex, opencode, copilot, cline, qwen, droid, grok, kilo and kimi, and what --write
wrote for them, by a command and (but for codex) with --proxy; with amp, which needs an account, up to its own list. For the
others, places and forms come from their makers' documents or sources, and have not been run here: --check tries everything but
the program itself. Programs that were installed as a snap or a flatpak keep their files in folders of their own, which postern
does not look into.

--write says what a program wants of you before it uses an entry. Gemini CLI starts no server in a folder that it was not told
to trust, not even those of your own settings; copilot, grok and kimi say so of a folder's own servers, amp has them approved
one by one.

## A program that can only start a command

    postern bridge work

stdio here, Streamable HTTP there, the token on each request. Messages pass as the bytes that they are. Without a login a browser is
opened where there is one, once for all bridges of a server; else requests are answered with error -31011 and what to run, and the
login is used as soon as it is there.

## A program that takes a URL

    postern proxy work
    postern proxy work home --port 8123 --json
    postern proxy work --socket "$XDG_RUNTIME_DIR/work.sock"

\`proxy\` prints \`http://127.0.0.1:PORT/KEY/work\`: give the program that. Each request goes on with a fresh token. The address holds a
key, new at each start: who has it can use the login. For one that stays, also in the background, see
\`postern help proxies\`; \`setup --proxy\` prints the entry for nearly all of those above.

## A dev container, a host over SSH

They use the login of this machine; the token stays here. For a container, the proxy listens on a socket in a folder of its own,
and the folder is mounted there: the container has to run as the same user, and nobody else can open the socket.

    mkdir -m 700 "$XDG_RUNTIME_DIR/postern"
    postern proxy work --socket "$XDG_RUNTIME_DIR/postern/proxy.sock"
    docker run --user "$(id -u)" -v "$XDG_RUNTIME_DIR/postern:/run/postern" IMAGE

In devcontainer.json: \`"mounts": ["source=\${localEnv:XDG_RUNTIME_DIR}/postern,target=/run/postern,type=bind"]\`. There:

    curl --unix-socket /run/postern/proxy.sock http://localhost/work

For a host over SSH the socket is forwarded, into a new folder there that only you can enter:

    folder=$(ssh HOST mktemp -d)
    ssh -R "$folder/proxy.sock:$XDG_RUNTIME_DIR/postern/proxy.sock" HOST

A program that takes nothing but a URL gets the address that the proxy prints, key and all; the port is the same on both sides:

    postern proxy work --port 8123
    ssh -R 8123:127.0.0.1:8123 HOST

## A program that asks for headers

See \`postern help credential-helpers\`.
`;

export const hosts: Topic = {
  name: 'hosts',
  summary: 'editors, agents and other programs that use your login',
  text: () => text,
};
