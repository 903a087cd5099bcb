import type { Topic } from './topic.js';

const text = `
With --json every command prints its result as one JSON object on stdout, and a failure as one JSON object on stderr, its last line.

    postern status --json
    postern token work --json
    postern call work echo text=hello --json

Names are in camelCase, times are ISO 8601 in UTC (\`2026-01-31T09:30:00.000Z\`), lists are there even when they are empty, and null stands for nothing. Two things are as others define them: the results of the protocol (\`call\`), and the formats of \`credential\`.

    postern token work --field expiresAt
    postern status --field logins.0.server

--field prints one value of that object as plain text: a string as it is, anything else as JSON. The path has member names, and
places in lists from 0 on, with dots between them (\`\\.\` is a dot in a name). A field that is not there is exit 2, with the names that are.

## The schema

Each command's result has a JSON Schema in the package, dist/schemas/COMMAND.json; dist/schemas/failure.json is for failures.
This is version 1 of it: within a version members may be added; none is removed, renamed or given another meaning.

## Failures

    {"error":{"code":"login_needed","message":"…","remedy":"…","exit":3,"steps":[]}}

\`code\` and \`exit\` stay the same from release to release; \`message\` and \`remedy\` are for people. \`steps\` holds what was done up to
then, with --verbose or without.

Everything printed is ASCII; other characters are escaped, so that no server’s text can steer a terminal.
`;

export const json: Topic = { name: 'json', summary: 'results and failures for programs to read', text: () => text };
