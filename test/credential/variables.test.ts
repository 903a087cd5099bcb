import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { readTokenVariables } from '../../src/credential/formats/environment.js';
import { anyText } from '../support/arbitraries.js';
import { openMachine } from '../support/machine.js';
import { Failure } from '../support/product.js';

const readTokenVariable = (text: string) => readTokenVariables([text], 'postern exec --help')[0];

test('a variable is NAME, NAME=server, and either with “,header” or “,value”', () => {
  assert.deepEqual(readTokenVariable('A'), { name: 'A', server: undefined, holds: 'token' });
  assert.deepEqual(readTokenVariable('A,header'), { name: 'A', server: undefined, holds: 'header' });
  assert.deepEqual(readTokenVariable('A_1=work'), { name: 'A_1', server: 'work', holds: 'token' });
  assert.deepEqual(readTokenVariable('a=https://x.example/a,b=c,header'), {
    name: 'a',
    server: 'https://x.example/a,b=c',
    holds: 'header',
  });
  assert.deepEqual(readTokenVariable('A=work,value'), { name: 'A', server: 'work', holds: 'value' });
  for (const text of ['', '=work', 'A=', '1A=work', 'A B=work', 'A-B=work', 'Ä=work', 'A,headers']) {
    assert.throws(() => readTokenVariable(text), { code: 'usage' }, JSON.stringify(text));
  }
});

test('names that programs act on are refused, in any letter case; names of tokens are not', () => {
  const refused =
    'PATH LD_PRELOAD LD_LIBRARY_PATH LD_AUDIT DYLD_INSERT_LIBRARIES NODE_OPTIONS NODE_EXTRA_CA_CERTS BASH_ENV ENV IFS ' +
    'PYTHONPATH PYTHONSTARTUP PERL5OPT RUBYOPT JAVA_TOOL_OPTIONS GIT_SSH_COMMAND GIT_CONFIG_COUNT SSL_CERT_FILE ' +
    'http_proxy HTTPS_PROXY ALL_PROXY npm_config_registry SHELL EDITOR PAGER LESSOPEN COMSPEC HOME POSTERN_CA_FILE ' +
    'GLIBC_TUNABLES BROWSER CURL_HOME PROMPT_COMMAND NODE_AUTH_TOKEN_ NODE_PATH CARGO_HOME CARGO_TOKEN_X ' +
    'CARGO_REGISTRIES_TOKEN CARGO_BUILD_RUSTC_WRAPPER DENO_DIR GEM_HOME BUN_INSTALL ' +
    'SHELLOPTS BASHOPTS ZDOTDIR FPATH MAKEFLAGS MAKEFILES GNUMAKEFLAGS CC CXX LD KUBECONFIG AWS_CONFIG_FILE ' +
    'AWS_SHARED_CREDENTIALS_FILE DOCKER_CONFIG DOCKER_HOST MAVEN_OPTS GRADLE_OPTS JAVA_OPTS TF_CLI_CONFIG_FILE ' +
    'ANSIBLE_CONFIG VIMINIT SUDO_ASKPASS INPUTRC';
  for (const name of refused.split(' ')) {
    for (const text of [name, name.toLowerCase(), `${name}=work`, `${name}=work,header`]) {
      assert.throws(() => readTokenVariable(text), { code: 'usage' }, text);
    }
  }
  const allowed =
    'TOKEN API_TOKEN MCP_AUTH GITHUB_TOKEN GIT_TOKEN POSTERN_ACCESS_TOKEN _x NODE_AUTH_TOKEN ' +
    'CARGO_REGISTRY_TOKEN CARGO_REGISTRIES_MY_OWN_TOKEN GEM_HOST_API_KEY DENO_DEPLOY_TOKEN BUN_CONFIG_TOKEN ' +
    'AWS_SESSION_TOKEN AWS_BEARER_TOKEN_BEDROCK DOCKER_TOKEN TF_TOKEN_app_terraform_io TF_VAR_token CC_TOKEN';
  for (const name of allowed.split(' ')) {
    assert.equal(readTokenVariable(`${name}=work`)?.name, name);
  }
});

test('whatever is typed, a name that comes out is one that every system takes', () => {
  fc.assert(
    fc.property(anyText({ maxLength: 40 }), (text) => {
      let name: string | undefined;
      try {
        name = readTokenVariable(text)?.name;
      } catch (error) {
        assert.ok(error instanceof Failure, String(error));
        return;
      }
      assert.match(name ?? '', /^[A-Za-z_][A-Za-z0-9_]*$/);
    }),
  );
});

test('a variable that cannot be is refused before anything is read or started', async () => {
  await using machine = await openMachine();
  const refusals: readonly (readonly [words: readonly string[], shows: RegExp])[] = [
    [['--var', 'PATH=work'], /programs act on PATH/],
    [['--var', 'A=work', '--var', 'A=home'], /A was given twice/],
    [['--var', 'A'], /a NAME alone needs a server/],
    [[], /needs a server, or --var NAME=server/],
  ];
  for (const [words, shows] of refusals) {
    const { code, stderr, stdout } = await machine.run(['exec', ...words, '--', 'echo', 'started']);
    assert.deepEqual([code, stdout], [2, ''], stderr);
    assert.match(stderr, shows);
  }
});
