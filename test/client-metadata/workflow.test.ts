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
