import type { ExitCode } from '../core/failure.js';

/** Why steps that need a login were skipped. */
export const needsLogin = 'needs a login: --login';

/** How a check ended. */
export type Level = 'pass' | 'note' | 'warning' | 'failure' | 'skipped';

/** Who can mend it. */
export type Actor = 'you' | 'server' | 'authorization-server' | 'company' | 'network';

/** The same in words. */
export const actors: Readonly<Record<Actor, string>> = {
  you: 'you',
  server: 'the server’s operator',
  'authorization-server': 'the authorization server’s operator',
  company: 'your company’s administrator',
  network: 'the network between you and the server',
};

/** The steps of a login, by the numbers of src/README.md. */
export const steps = {
  connect: { number: 1, title: 'Reach the server' },
  challenge: { number: 2, title: 'Ask without a token' },
  resource: { number: 3, title: 'Resource metadata' },
  choice: { number: 4, title: 'Authorization server' },
  issuer: { number: 5, title: 'Its metadata' },
  machine: { number: 6, title: 'Store and callback' },
  client: { number: 7, title: 'Client identifier' },
  request: { number: 8, title: 'Authorization request' },
  response: { number: 9, title: 'Its response' },
  redeem: { number: 10, title: 'Redeem the code' },
  save: { number: 11, title: 'Write the credential' },
  token: { number: 12, title: 'Requests with a token' },
  protocol: { number: 13, title: 'The protocol' },
  /** Of a login by one alone. */
  provider: { number: 14, title: 'Company’s provider' },
} as const;

/** What is looked at of this machine. */
export const machineSteps = {
  program: { number: 1, title: 'This program' },
  configuration: { number: 2, title: 'Configuration' },
  network: { number: 3, title: 'Proxy and authorities' },
  state: { number: 4, title: 'State folder' },
  store: { number: 5, title: 'Store' },
  browser: { number: 6, title: 'Browser' },
  callback: { number: 7, title: 'Callback listener' },
  clock: { number: 8, title: 'Clock' },
  logins: { number: 9, title: 'Logins' },
  programs: { number: 10, title: 'Programs set up' },
} as const;

export type StepName = keyof typeof steps | keyof typeof machineSteps;

const everyStep = { ...steps, ...machineSteps };

/** A step by its name, whichever examination it is of. */
export const stepOf = (name: StepName): { readonly number: number; readonly title: string } => everyStep[name];

/** How bad a finding is, at which step, and who can mend it. */
export interface FindingFacts {
  readonly level: 'note' | 'warning' | 'failure';
  readonly step: StepName;
  readonly who: Actor;
  /** The exit code where it is the first cause; 5 where it is not given. */
  readonly exit: ExitCode | undefined;
  /** A login works all the same, and should not. */
  readonly isUnsafe?: true;
}

/** The same with its words, which `--explain` prints. */
export interface FindingKind extends FindingFacts {
  /** What it is, in a short clause. */
  readonly title: string;
  /** What to type or change. */
  readonly remedy: string;
  /** The rule, as it is published. */
  readonly source: string;
  /** Why it matters, in plain words. */
  readonly explanation: string;
}

/** What a check has found, or that it found nothing. */
export interface Finding {
  /** Undefined: passed, or skipped. */
  readonly id?: string;
  readonly step: StepName;
  readonly level: Level;
  /** One line: what was seen, or why it was not looked at. May hold a server's words: shown through `printable` alone. */
  readonly evidence: string;
  readonly kind?: FindingKind;
  /** In place of the catalogue's remedy, where more is known. */
  readonly remedy?: string | undefined;
}
