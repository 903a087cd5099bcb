import { createHash } from 'node:crypto';
import { interrupted } from '../../src/core/failures.js';
import type { Session, SessionLine } from './session.js';

export type Play = (session: Session) => Promise<void>;

const firstScreen: Play = async (session) => {
  await session.postern('');
  await session.postern('--help');
  await session.postern('rename --help');
  await session.postern('help exit-codes');
  await session.postern('help machine');
  await session.postern('statsu');
  await session.postern('login SERVER --nmae work');
  await session.postern('login');
  await session.postern('call');
  await session.postern('login ftp://example.com/mcp');
  await session.postern('token work');
  await session.postern('--version');
};

const login: Play = async (session) => {
  await session.postern('login SERVER --name work');
  await session.page();
  await session.postern('login SERVER --name work', { typed: ['n'] });
  await session.postern('login SERVER --name work --force');
  await session.postern('login http://127.0.0.1:9/mcp');
  await session.postern('login ISSUER/nothing');
  session.note('The person says no.');
  const other = 'login SERVER --name other --account other';
  await session.postern(other, { walk: { decision: 'deny' } });
  await session.page();
  session.note('Nobody comes to the page.');
  await session.postern(other, { walk: false });
  session.note('No browser can be opened; the address is opened elsewhere.');
  await session.postern(other, { noBrowser: true, watch: session.visitor(/^(http:\S+\/authorize\?\S+)$/m) });
  const device = { watch: session.visitor(/^ {2}(http\S+)\nand type this code there: {2}(\S+)$/m) };
  await session.postern('login SERVER --name third --account third --device', device);
  session.note('Ctrl-C');
  await session.postern('login SERVER --name fourth --account fourth', {
    walk: false,
    watch: interruptAt(/127\.0\.0\.1/),
  });
  await session.postern('login SERVER --name fourth --account fourth --non-interactive');
  session.note('What the program does, step by step');
  await session.postern('login SERVER --name work --force --browser --verbose', { columns: undefined });
};

/** Ctrl-C as soon as this is printed. */
function interruptAt(pattern: RegExp): NonNullable<SessionLine['watch']> {
  return (screen, interruption) => {
    if (pattern.test(screen)) interruption.abort(interrupted());
  };
}

const logins: Play = async (session) => {
  await session.postern('status');
  await session.before('login SERVER --name work');
  await session.before('login SERVER --account home --name home --scope mcp:basic', { walk: { account: 'bob' } });
  await session.postern('status');
  await session.postern('status work');
  await session.postern('whoami work');
  await session.postern('whoami work --check');
  await session.postern('rename home private');
  await session.postern('rename work private');
  await session.postern('switch private');
  await session.postern('call SERVER whoami');
  await session.postern('token wrok');
  session.pass(70);
  session.note('An hour later; the authorization server takes no refresh token any more.');
  session.sandbox.setFaults(['refresh-invalid-grant']);
  await session.postern('status');
  await session.postern('token work');
  await session.postern('status');
  session.sandbox.setFaults([]);
  await session.postern('status --json');
  await session.postern('logout private');
  await session.postern('logout', { typed: ['1'] });
  await session.postern('logout --all --yes');
  await session.postern('logout work');
};

const call: Play = async (session) => {
  await session.postern('call SERVER', {});
  await session.before('login SERVER --name work --scope mcp:basic');
  await session.postern('call work');
  await session.postern('call work -l');
  await session.postern('call work echo --help');
  await session.postern('call work echo text=hello');
  await session.postern('call work echo hello');
  await session.postern('call work echo text=hello times=3');
  await session.postern('call work echo text=hello repeat=three');
  await session.postern('call work ehco hello');
  await session.postern('call work fail');
  await session.postern('call work resources/list');
  await session.postern('call work prompts/list');
  await session.postern('call work ping');
  session.note('A tool wants a scope that the login lacks.');
  await session.postern('call work note_add text=milk --non-interactive');
  await session.postern('call work note_add text=milk', { typed: ['n'] });
  await session.postern('call work note_add text=milk', { typed: ['y'] });
  session.note('The server takes no token.');
  session.sandbox.setFaults(['server-401-always']);
  await session.postern('call work whoami');
  session.sandbox.setFaults([]);
  await session.postern('call work echo hello --json');
};

const scripts: Play = async (session) => {
  await session.before('login SERVER --name work');
  await session.postern('token work');
  const pipe = { columns: undefined };
  await session.postern('token work', pipe);
  await session.postern('token work --header', pipe);
  await session.postern('token work --json', pipe);
  await session.postern('token work --json --field expiresAt', pipe);
  await session.postern('exec work -- /usr/bin/false');
  await session.postern('exec work -- no-such-program');
  await session.postern('exec work --var PATH -- /usr/bin/true');
  await session.postern('request SERVER/nowhere -i', pipe);
  await session.postern('request http://127.0.0.1:9/', pipe);
  await session.postern('token home --json', pipe);
  await session.postern('call home whoami --json', pipe);
  const ci = { ...pipe, env: { CI: 'true' } };
  await session.postern('token SERVER --account ci', ci);
  await session.postern('login SERVER --account ci', ci);
  await session.postern('call SERVER --account ci whoami --login', ci);
  await session.postern('call SERVER whoami --client-credentials --client-id nobody', ci);
};

const credentialHelpers: Play = async (session) => {
  await session.before('login SERVER --name work');
  const pipe = { columns: undefined };
  await session.postern('credential headers work');
  for (const format of ['headers', 'header', 'value', 'curl', 'env', 'kubectl'])
    await session.postern(`credential ${format} work`, pipe);
  await session.postern('credential env work --shell fish --var API_TOKEN', pipe);
  const host = new URL(session.sandbox.serverUrl).host;
  const git = (path: string) => ({ ...pipe, typed: ['protocol=http', `host=${host}`, `path=${path}`, ''] });
  await session.postern('credential git get', git('mcp/repo.git'));
  await session.postern('credential git get', git('elsewhere'));
  await session.postern('credential bazel get', {
    ...pipe,
    typed: [JSON.stringify({ uri: session.sandbox.serverUrl })],
  });
  await session.postern('credential headers home', pipe);
  await session.postern('credential hedaers work', pipe);
  await session.postern('credential headers work --shim ~/bin', pipe);
  await session.postern('status');
};

const setup: Play = async (session) => {
  await session.write('.claude.json', '{\n  "theme": "dark"\n}\n');
  await session.postern('setup --list');
  await session.postern('setup claude');
  await session.before('login SERVER --name work');
  await session.postern('setup claude work');
  await session.postern('setup claude work --write');
  await session.cat('.claude.json');
  await session.postern('setup claude work --write');
  await session.postern('setup --list');
  await session.postern('setup --check');
  await session.postern('setup claude work --undo');
  await session.cat('.claude.json');
  await session.postern('setup claude work --undo');
  await session.postern('setup cursor work');
  await session.postern('setup codex work');
  await session.postern('setup git work');
  await session.postern('setup curl work', { columns: undefined });
  await session.postern('setup clude work');
  await session.write('.cursor/mcp.json', '{ "mcpServers": [] }\n');
  await session.postern('setup cursor work --write');
};

const doctorOfAServer: Play = async (session) => {
  session.useRealTime();
  await session.postern('doctor SERVER');
  await session.before('login SERVER --name work');
  await session.postern('doctor work');
  for (const fault of ['as-issuer-mismatch', 'challenge-none', 'prm-wrong-resource']) {
    session.note(`The sandbox has the fault ${fault}.`);
    session.sandbox.setFaults([fault]);
    await session.postern('doctor SERVER');
  }
  session.sandbox.setFaults([]);
  await session.postern('doctor SERVER --login --scope "mcp:basic notes:read"');
  await session.postern('doctor --explain issuer_mismatch');
  await session.postern('doctor --explain issuer-mismatch');
  await session.postern('doctor http://127.0.0.1:9/mcp');
};

const doctorOfThisMachine: Play = async (session) => {
  await session.postern('doctor');
  await session.before('login SERVER --name work');
  await session.postern('setup claude work --write');
  await session.postern('doctor');
  await session.postern('doctor --from claude');
  session.pass(70);
  session.sandbox.setFaults(['refresh-invalid-grant']);
  await session.postern('token work');
  session.sandbox.setFaults([]);
  await session.postern('doctor');
};

const randomLike = (seed: string) => createHash('sha256').update(seed).digest();

const stores: Play = async (session) => {
  session.note('No keychain can be reached.');
  await session.postern('login SERVER --name work', { ownStore: true });
  await session.postern('login SERVER --name work --store nowhere');
  session.note('Sealed files, with a key in a file that POSTERN_STORE_KEY_FILE names');
  await session.write('key', randomLike('one'));
  const env = { POSTERN_STORE_KEY_FILE: `${session.home}/key` };
  const sealed = { env, ownStore: true };
  await session.postern('login SERVER --name work --store file', sealed);
  await session.postern('status', sealed);
  await session.postern('move file', sealed);
  await session.postern('move keychain', sealed);
  await session.postern('move nowhere', sealed);
  session.note('Another key');
  await session.write('key', randomLike('another'));
  await session.postern('token work', sealed);
  await session.postern('config');
  await session.postern('config set timeoutSeconds 60');
  await session.postern('config get timeoutSeconds');
  await session.cat('.config/postern/config.json');
  await session.postern('config set timeoutSeconds 5');
  await session.postern('config set timeoutSecond 60');
  await session.write('.config/postern/config.json', '{ "timeoutSeconds": 60, }');
  await session.postern('status');
  await session.postern('uninstall');
};

const bridgeAndProxy: Play = async (session) => {
  const message = (id: number, method: string, params: object = {}) =>
    JSON.stringify({ jsonrpc: '2.0', id, method, params });
  const clientInfo = { name: 'host', version: '1' };
  const initialize = message(1, 'initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo });
  const call = message(2, 'tools/call', { name: 'echo', arguments: { text: 'hello' } });
  const notified = '{"jsonrpc":"2.0","method":"notifications/initialized"}';
  session.note('What a host writes goes to stdin.');
  await session.postern('bridge SERVER --non-interactive', { columns: undefined, typed: [initialize] });
  await session.before('login SERVER --name work');
  await session.postern('bridge work', { columns: undefined, typed: [initialize, notified, call] });
  await session.postern('bridge work --deny-tool echo', { columns: undefined, typed: [call] });
  await session.postern('bridge home', { columns: undefined, typed: [initialize] });
  const host = (path: string): SessionLine => {
    let isAsked = false;
    return {
      watch: (screen, interruption) => {
        const [address] = /http:\/\/127\.0\.0\.1:\d+\/\S+/.exec(screen) ?? [];
        if (isAsked || address === undefined) return;
        isAsked = true;
        const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
        void fetch(new URL(path, address), { method: 'POST', headers, body: initialize })
          .then((response) => response.text())
          .finally(() => interruption.abort(interrupted()));
      },
    };
  };
  session.note('A program asks at the address, once; then Ctrl-C.');
  await session.postern('proxy work', host(''));
  session.note('One without the key');
  await session.postern('proxy work', host('/elsewhere'));
  await session.postern('proxy home');
  await session.postern('proxy work --port 80');
};

const identity: Play = async (session) => {
  const url = 'https://ann.example/postern/client.json';
  await session.postern('client-metadata init');
  await session.postern('client-metadata init --url http://ann.example/client.json --out ~/identity');
  await session.postern(`client-metadata init --url ${url} --out ~/identity`);
  await session.postern('client-metadata check ~/identity --offline');
  await session.postern('client-metadata show SERVER');
  await session.postern(`client-metadata show SERVER --url ${url}`);
  await session.postern('client-metadata rotate ~/identity');
};

export const sessions: Readonly<Record<string, Play>> = {
  'first-screen': firstScreen,
  login,
  logins,
  call,
  scripts,
  'credential-helpers': credentialHelpers,
  setup,
  'doctor-of-a-server': doctorOfAServer,
  'doctor-of-this-machine': doctorOfThisMachine,
  stores,
  'bridge-and-proxy': bridgeAndProxy,
  'client-metadata': identity,
};
