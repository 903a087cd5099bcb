import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { repositoryRoot } from '../support/repository.js';

const workflow = await readFile(join(repositoryRoot, '.github/workflows/client-metadata.yml'), 'utf8');

test('[R-5.7a] the folder is published for the address that the host gives, judged before and after; no address is written down', () => {
  assert.match(workflow, /ADDRESS: \$\{\{ steps\.pages\.outputs\.base_url \}\}\/client\.json/);
  assert.doesNotMatch(workflow, /https?:\/\//);
  const steps = [
    /client-metadata build client-metadata --url "\$ADDRESS" .*--out published/,
    /client-metadata check published --offline/,
    /upload-pages-artifact/,
    /deploy-pages/,
    /client-metadata check published && exit 0/,
  ];
  const places = steps.map((step) => workflow.search(step));
  assert.ok(!places.includes(-1), String(places));
  assert.deepEqual(
    places,
    places.toSorted((one, other) => one - other),
  );
});

test('actions are pinned by digest, and no code of packages runs where an identity can be asked for', () => {
  const uses = [...workflow.matchAll(/uses: (\S+)/g)].map(([, action = '']) => action);
  assert.ok(uses.length > 0);
  for (const action of uses) assert.match(action, /^actions\/[a-z-]+@[0-9a-f]{40}$/);
  const commands = [...workflow.matchAll(/npm ci.*/g)].map(([command]) => command);
  assert.ok(commands.length > 0);
  for (const command of commands) assert.match(command, /--ignore-scripts/);
  const jobs = workflow.split(/^ {2}(?=[a-z]+:$)/m).slice(1);
  const mighty = jobs.filter((job) => /: write$/m.test(job));
  assert.equal(mighty.length, 1);
  assert.doesNotMatch(mighty[0] ?? '', /run:|checkout/);
  assert.match(workflow, /^permissions: \{\}$/m);
});

test('[R-2.3b] the document of the folder: optional members carry right values, nothing in it is a secret, and it is small', async () => {
  const bytes = await readFile(join(repositoryRoot, 'client-metadata', 'client.json'));
  const document = JSON.parse(bytes.toString());
  assert.deepEqual(document['grant_types'], ['authorization_code', 'refresh_token']);
  assert.deepEqual(document['response_types'], ['code']);
  assert.equal(document['token_endpoint_auth_method'], 'none');
  assert.equal(document['application_type'], 'native');
  assert.equal(document['scope'], undefined);
  assert.ok(!Object.keys(document).some((name) => /secret|private/.test(name)));
  assert.ok(bytes.byteLength < 5 * 1024);
});
