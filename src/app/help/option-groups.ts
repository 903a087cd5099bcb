import type { CommandTable, OptionSpec } from '../../core/command.js';

/** Options that help shows together, below a title of their own. */
export interface OptionGroup {
  readonly title: string;
  readonly options: readonly OptionSpec[];
  /** Few people need them: the short help has their names alone. */
  readonly isRare: boolean;
}

type Names = readonly (readonly [title: string, names: readonly string[], how?: 'rare'])[];

const assertions = ['assertion-file', 'assertion-env', 'assertion-command', 'assertion-audience', 'assertion-as'];

const headers = ['header-file', 'header-env'];

/** A topic that says all of such options stands behind the title. */
const own: Names = [
  ['Headers beside the token', headers, 'rare'],
  [
    'A login for this run alone (help machines)',
    [
      ...['client-credentials', 'store', 'client-id', 'client-secret-file', 'client-key-file'],
      ...assertions,
      ...['authorization-server', 'scope'],
    ],
    'rare',
  ],
];

const lending: Names = [['What it lends', ['allow-tool', 'deny-tool', 'read-only']]];

const conversation = ['browser', 'elicitation', 'protocol'];

/** By command. An option that stands in no group comes first, with those that most people need. */
export const namedGroups: Readonly<Record<string, Names>> = {
  login: [
    ['Several at once', ['from', 'all', 'expired', 'yes']],
    ['The browser', ['no-browser', 'device', 'browser-with', 'timeout']],
    ['The login page', ['browser', 'browser-profile', 'login-hint', 'prompt'], 'rare'],
    ['Where its answer arrives', ['redirect-port', 'redirect-uri', 'listen-address'], 'rare'],
    [
      'What the servers want',
      [
        ...['authorization-server', 'authorization-param', 'legacy', 'resource', 'no-resource', 'dpop', 'no-dpop'],
        ...[...headers, 'no-headers'],
      ],
      'rare',
    ],
    [
      'The client (help clients)',
      [
        ...['registration', 'client-id', 'client-secret-stdin', 'client-secret-file', 'client-metadata-url'],
        'client-name',
      ],
      'rare',
    ],
    [
      'A machine’s own login (help machines)',
      ['client-credentials', 'client-key-file', 'generate-key', 'key-algorithm', ...assertions],
      'rare',
    ],
    [
      'A company’s provider (help company)',
      ['idp', 'idp-client-id', 'idp-client-secret-file', 'idp-token-file'],
      'rare',
    ],
  ],
  call: [['How the server is spoken to', [...conversation, 'ping'], 'rare'], ...own],
  shell: [['How the server is spoken to', conversation, 'rare'], ...own],
  proxy: [
    ...lending,
    ['At an address that stays (postern help proxies)', ['key-file', 'print-service']],
    ['Waits, and its end', ['timeout', 'silence', 'grace', 'ready-fd', 'until-stdin-ends'], 'rare'],
    ...own,
  ],
  bridge: [...lending, ...own],
  credential: [['Which login, and for what', ['pin', 'whole-host'], 'rare'], ...own.slice(1)],
  doctor: [
    ['Reports', ['junit', 'bundle']],
    ['A login for this run (--login)', ['scope', 'browser', 'no-browser', 'device', 'timeout'], 'rare'],
    ['Headers beside the token', headers, 'rare'],
  ],
  sandbox: [
    [
      'Its clients',
      [
        ...['clients', 'no-registration', 'no-metadata-documents', 'allow-client-documents-from'],
        ...['client-documents-ca', 'trust-clients-of'],
      ],
      'rare',
    ],
    [
      'What its two servers speak',
      [
        ...['eras', 'discovery', 'well-known', 'metadata', 'issuer-path', 'require-pushed-requests', 'dpop'],
        'dpop-nonce',
      ],
      'rare',
    ],
    ['A company’s provider', ['company', 'id-token-lifetime'], 'rare'],
  ],
};

/** The options of a command as help shows them: those that stand alone first, then each group that has any. */
export function optionGroups({ name, options }: CommandTable): readonly OptionGroup[] {
  const groups = namedGroups[name] ?? (options.some((one) => one.name === 'client-credentials') ? own : []);
  const taken = new Set(groups.flatMap(([, names]) => names));
  const find = (wanted: string) => options.filter((one) => one.name === wanted);
  return [
    { title: 'Options', options: options.filter((one) => !taken.has(one.name)), isRare: false },
    ...groups.map(([title, names, how]) => ({ title, options: names.flatMap(find), isRare: how === 'rare' })),
  ].filter((group) => group.options.length > 0);
}
