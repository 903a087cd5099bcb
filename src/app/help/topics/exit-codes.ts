import { exitCode } from '../../../core/failure.js';
import type { Topic } from './topic.js';

const meanings: readonly (readonly [code: number, meaning: string])[] = [
  [0, 'done'],
  [exitCode.fault, 'a fault of this program, or its output could not be written'],
  [exitCode.usage, 'wrong usage or configuration'],
  [exitCode.loginNeeded, 'a login is needed, and there is nobody to ask'],
  [exitCode.refused, 'refused: by the person, by the authorization server, or for a missing scope'],
  [exitCode.serverBreaksRules, 'the server, or its authorization server, breaks a rule, which is named'],
  [exitCode.network, 'network or time-out'],
  [exitCode.store, 'the keychain, or other store, is unavailable, locked or full'],
  [exitCode.callFailed, 'the call itself failed: a tool’s error, or an HTTP error with request --fail'],
  [exitCode.interrupted, 'interrupted'],
];

const text = `
${meanings.map(([code, meaning]) => `${code} :: ${meaning}`).join('\n')}

\`postern exec\` ends as its command did: with its exit code, or with 128 + n where signal n ended it.

With --json a failure is one JSON object, the last line of stderr:

    {"error":{"code":"login_needed","message":"…","remedy":"…","exit":3,"steps":[]}}

\`code\` stays the same from release to release; the sentences do not.
`;

export const exitCodes: Topic = { name: 'exit-codes', summary: 'what a command’s exit code means', text: () => text };
