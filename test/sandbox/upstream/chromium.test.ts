import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openTab } from '../../support/chromium.js';
import { needs } from '../../support/needs.js';
import { startSandbox } from '../../support/start-sandbox.js';
import { listenForCallback } from '../client.js';
import { codeAt, profileFor, program } from './deputy.js';

test('[R-5.8j] in a real browser, with its policies and cookies: consent here, consent there once, and back', {
  skip: needs('chromium'),
}, async () => {
  await using sandbox = await startSandbox();
  await using callback = await listenForCallback();
  await using tab = await openTab({ javaScript: false });
  const { page } = tab;
  const first = await program(sandbox, callback, 'First program');
  await page.goto(first.link);
  await page.locator('button[value=alice]').click();
  await page.locator('button[value=allow]').click();
  await page.waitForURL(`${sandbox.upstreamUrl}/**`);
  await page.locator('button[value=allow]').click();
  await page.waitForURL(`${callback.redirectUri}?**`);
  assert.match(await profileFor(sandbox, first), /Robin/);
  const second = await program(sandbox, callback, 'Second program');
  await page.goto(second.link);
  assert.match(await page.locator('h1').innerText(), /Second program\s+asks to act for you/);
  const before = codeAt(second);
  await page.locator('button[value=allow]').click();
  await page.waitForURL(`${callback.redirectUri}?**`);
  assert.notEqual(codeAt(second), before);
});

test('Allow is visible without scrolling on a small telephone, whatever the client asks for', {
  skip: needs('chromium'),
}, async () => {
  await using sandbox = await startSandbox();
  await using callback = await listenForCallback();
  await using tab = await openTab({ javaScript: false });
  const { page } = tab;
  await page.setViewportSize({ width: 360, height: 640 });
  await page.goto((await program(sandbox, callback, 'A program with a name that is as long as names may be')).link);
  await page.locator('button[value=alice]').click();
  const box = await page.locator('button[value=allow]').boundingBox();
  assert.ok(box !== null && box.y > 0 && box.y + box.height <= 640, JSON.stringify(box));
});
