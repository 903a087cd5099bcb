import type { Topic } from './topic.js';

const text = `
## A token

    curl -H "$(postern token work --header)" https://example.com/mcp
    postern token work --json
    postern token work --refresh

\`token\` prints a valid access token and nothing else. It is refreshed when it is about to expire; of many processes that ask
at once, one refreshes. --refresh gets a new one, for when the server refuses the old one.

## A script that runs for long

    header=$(postern token work --header) || exit

Where \`token\` fails, \`curl -H "$(…)"\` still sends its request, without a token; this ends the script with the exit code instead.
Ask anew for each request: a token that has run out is refreshed. \`request\` does both by itself, and so do \`call\`, \`proxy\`
and \`bridge\`; what \`exec\` starts keeps the token that it began with.

## A program that takes its token from the environment

    postern exec work -- ./stdio-server
    postern exec --var A_TOKEN=work --var B_AUTH=home,header -- make test

The first has the token in \`POSTERN_ACCESS_TOKEN\`. Signals and the exit code pass through.

## A call

    postern call work
    postern call work echo --help
    postern call work echo text=hello repeat=3
    postern call work echo hello --output json
    postern call work resources/read note://1
    postern call work note_add text=hello --login
    postern request -X POST -d @body.json -H 'content-type: application/json' https://example.com/mcp

\`key=value\` is what the tool’s schema wants: a number, a truth value or JSON, and text where text is allowed. A value may
stand alone for a tool’s only required parameter. What the schema does not know is refused before the call, with exit
code 2. \`key:=json\`, \`@file\` and \`-\` (an object from a file or from stdin) are sent as they are, and need no list of
the tools, which is otherwise asked for once and kept for a day for its login.

The result goes to stdout and nothing else does: for a person, with --output json in one line, with --output raw as the
server spelled it. --save DIR saves its images, audio and resources. With --login a call may open the browser, for a
login or for more scope; without, it asks at a terminal, and fails elsewhere with exit code 3 or 4.

## CI in one line

    POSTERN_CLIENT_ID=ci POSTERN_CLIENT_SECRET_FILE=/run/secrets/ci postern call https://example.com/mcp add a:=5 b:=3 --client-credentials --authorization-server https://as.example

The job logs in as a client of its own, for this call alone; nothing is stored. \`request\`, \`token\`, \`exec\` and \`credential\` take the
same. A platform’s token in place of the secret (GitHub Actions, Kubernetes): \`postern help machines\`. With --store memory alone a call logs in as a person does, and keeps nothing of it. Machines whose login is kept: \`postern
help clients\`; stores that need no desktop: \`postern help stores\`.

## A token from elsewhere

    POSTERN_TOKEN=… POSTERN_TOKEN_SERVER=https://example.com/mcp postern call https://example.com/mcp

It is used for that very address, never refreshed or stored, and taken out of the environment of all that postern starts.

## What a script is told

Exit codes say what happened: \`postern help exit-codes\`. With --json every result and every failure is JSON: \`postern help json\`.
`;

export const scripts: Topic = {
  name: 'scripts',
  summary: 'tokens, calls and logins in scripts and CI',
  text: () => text,
};
