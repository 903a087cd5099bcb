import { latestProtocolVersion, newestRevision } from '../core/product.js';
import { outputForms } from './content/print-result.js';

/** `--login` of `call` and `request`, and what goes with it. */
export const loginOptions = [
  {
    name: 'login',
    kind: 'boolean',
    brief: 'log in in the browser where that is needed',
    describe:
      'log in, or ask for more scope, in the browser where it is needed, unasked (at most 3 times an hour for one operation, 10 for one server)',
  },
  {
    name: 'browser',
    kind: 'boolean',
    describe: 'with --login: open the browser although CI is set, or --non-interactive was given',
    excludes: ['no-browser'],
  },
  { name: 'no-browser', kind: 'boolean', describe: 'open no browser: print the address instead' },
] as const;

export const loginNote =
  '--login opens the browser without a terminal, too, where there is a display and CI is not set: 3 tabs an hour at most for one login until a token of it has worked, 10 in all. A login whose first token the server refuses is not repeated by itself.';

/** What a conversation with a server is told by the person, in every command that has one. */
export const conversationOptions = [
  {
    name: 'elicitation',
    kind: 'string',
    choices: ['ask', 'defaults', 'decline'],
    value: 'HOW',
    describe: 'when the server asks something in the middle of a call',
    fallback: 'ask on a terminal, else decline',
  },
  {
    name: 'protocol',
    kind: 'string',
    choices: [latestProtocolVersion, newestRevision],
    value: 'REVISION',
    describe: 'speak this revision of the protocol',
    fallback: 'what the server speaks, which is kept for a week',
  },
  {
    name: 'timeout',
    kind: 'number',
    min: 1,
    max: 86_400,
    default: 60,
    value: 'SECONDS',
    describe: 'how long to wait for an answer',
  },
] as const;

/** What becomes of a result, in every command that prints one. */
export const resultOptions = [
  {
    name: 'long',
    alias: 'l',
    kind: 'boolean',
    describe: 'of a list: all of each description, and what each parameter means',
  },
  {
    name: 'output',
    kind: 'string',
    choices: outputForms,
    value: 'FORM',
    brief: 'text, json (one line) or raw',
    describe: 'the result for a person, as JSON in one line, or the JSON as the server spelled it',
    fallback: 'text; json with --json',
  },
  {
    name: 'save',
    kind: 'string',
    value: 'DIR',
    brief: 'save images, audio and resources there',
    describe:
      'save images, audio and resources of the result there, each in a new file, and print the paths (with JSON on stderr)',
  },
] as const;
