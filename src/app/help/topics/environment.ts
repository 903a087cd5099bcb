import type { CommandTable } from '../../../core/command.js';
import { settings } from '../../../core/configuration/settings.js';
import type { Topic } from './topic.js';

/** Variables of the system that are heeded, and those of ours that are no option's and no setting's. */
const others: readonly (readonly [name: string, text: string])[] = [
  ['POSTERN_STATE_DIR', 'folder of the list of logins, locks and sealed files (mode 700)'],
  ['POSTERN_CONFIG_DIR', 'folder of config.json'],
  ['POSTERN_STORE_KEY_FILE', 'key of sealed files: postern help stores'],
  ['POSTERN_TOKEN, POSTERN_TOKEN_SERVER', 'a token, and the only address that it is for: postern help scripts'],
  [
    'POSTERN_ASSERTION_FILE, _ENV, _AUDIENCE, _AS',
    'a platform’s token, with --client-credentials: postern help machines',
  ],
  ['CI', 'true: nobody is asked, and no browser is opened'],
  ['NO_COLOR', 'no colours'],
  ['BROWSER', 'the program that opens a page'],
  ['HTTPS_PROXY, NO_PROXY, NODE_EXTRA_CA_CERTS', 'postern help proxies'],
];

function text(tables: readonly CommandTable[]): string {
  const ofOptions = tables.flatMap(({ name, options }) =>
    options.flatMap(({ env, name: option }) => (env === undefined ? [] : [[env, `${name} --${option}`] as const])),
  );
  const variables = [...new Set(ofOptions.map(([env]) => env))].filter((env) =>
    settings.every(({ variable }) => variable !== env),
  );
  const optionRows = variables.map((env) => {
    const same = ofOptions.filter(([other]) => other === env).map(([, option]) => `\`${option}\``);
    return `${env} :: ${same.join(', ')}`;
  });
  const isLimit = (describe: string) => describe.startsWith('limit ');
  const own = settings.filter(({ describe }) => !isLimit(describe));
  return `
Options go before variables, and variables before \`config.json\`. An empty variable counts as unset. \`postern config\` shows every
setting, its value, and where that comes from.

## Settings

${own.map(({ variable, key, describe, takes }) => `${variable} :: ${describe}; ${takes} (\`${key}\` in config.json)`).join('\n')}

## Variables that stand for an option

${optionRows.join('\n')}

## Others

${others.map(([name, what]) => `${name} :: ${what}`).join('\n')}

## config.json

It lies in \`$XDG_CONFIG_HOME/postern\`, or in \`POSTERN_CONFIG_DIR\`, and is one JSON object:

    {
      "clients": [{"issuer": "https://as.example", "clientId": "ID"}],
      "timeoutSeconds": 120
    }

\`postern config set timeoutSeconds 120\` checks a value and writes it there, \`config unset\` takes it out, \`config edit\` opens the file in
$VISUAL or $EDITOR and checks it before it is replaced. Lists (\`clients\`, \`clientCertificates\`) are changed by \`edit\` alone.

Every limit in time and size can be set in the same way: \`postern config\` lists them all. Nothing in a value is expanded, and
nothing is read from the working folder.
`;
}

export const environment: Topic = { name: 'environment', summary: 'variables, and the configuration file', text };
