import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { openTab } from '../support/chromium.js';
import { needs } from '../support/needs.js';
import { repositoryRoot } from '../support/repository.js';

test('the page of the folder shows its logo and its style under its own policy, and loads nothing else', {
  skip: needs('chromium'),
}, async () => {
  await using tab = await openTab({ javaScript: false });
  const complaints: string[] = [];
  tab.page.on('console', (message) => complaints.push(message.text()));
  await tab.page.goto(`file://${join(repositoryRoot, 'client-metadata', 'index.html')}`);
  const main = tab.page.locator('main');
  assert.equal(await main.evaluate((element) => getComputedStyle(element).borderRadius), '16px');
  assert.ok(await tab.page.locator('img').evaluate((image: HTMLImageElement) => image.naturalWidth > 0));
  const text = (await main.textContent()) ?? '';
  for (const said of [/127\.0\.0\.1\/callback/, /localhost\/callback/, /report abuse/i, /client-metadata\.invalid/]) {
    assert.match(text, said);
  }
  assert.deepEqual(complaints, []);
  assert.deepEqual(
    tab.requested.map((url) => new URL(url).protocol),
    tab.requested.map(() => 'file:'),
  );
});
