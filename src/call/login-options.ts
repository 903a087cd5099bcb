import { latestProtocolVersion, newestRevision } from '../core/product.js';
import { outputForms } from './content/print-result.js';

/** `--login` of `call` and `request`, and what goes with it. */
export const loginOptions = [
  { name: 'login', kind: 'boolean', describe: 'log in, or ask for more scope, in the browser if needed' },
  {
    name: 'browser',
    topic: 'scripts',
    kind: 'boolean',
    describe: 'with --login: open the browser although CI is set, or --non-interactive was given',
    excludes: ['no-browser'],
  },
  { name: 'no-browser', kind: 'boolean', describe: 'open no browser: print the address instead' },
] as const;

/** What a conversation with a server is told by the person, in every command that has one. */
export const conversationOptions = [
  {
    name: 'elicitation',
    topic: 'scripts',
    kind: 'string',
    choices: ['ask', 'defaults', 'decline'],
    value: 'HOW',
    describe: 'when the server asks something in the middle of a call',
    fallback: 'ask on a terminal, else decline',
  },
  {
    name: 'protocol',
    topic: 'scripts',
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
    describe: 'how long to wait, in seconds',
  },
] as const;

/** What becomes of a result, in every command that prints one. */
export const resultOptions = [
  { name: 'long', alias: 'l', kind: 'boolean', describe: 'all of each description, and each parameter' },
  {
    name: 'output',
    kind: 'string',
    choices: outputForms,
    value: 'FORM',
    describe: 'how to print the result',
    fallback: 'text; json with --json',
  },
  { name: 'save', kind: 'string', value: 'DIR', describe: 'save images, audio and resources there' },
] as const;
