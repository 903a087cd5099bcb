import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deviceConfirmPage, deviceInputPage } from '../../../../src/sandbox/authorization-server/pages/device-pages.js';

const form = { action: '/device', fields: [] };

test('the code of a device, which is compared with the terminal, is the largest text of its page', () => {
  const pages = [deviceConfirmPage(form, 'postern', 'ABCD-EFGH'), deviceInputPage(form, false)].map(({ body }) =>
    Buffer.from(body as Uint8Array).toString(),
  );
  assert.match(pages[0] ?? '', /<p class="user-code">ABCD-EFGH<\/p>/);
  assert.match(pages[1] ?? '', /<input class="user-code" type="text" name="user_code"/);
  for (const page of pages) {
    const size = Number(/\.user-code \{[^}]*font: 600 ([\d.]+)rem/.exec(page)?.[1]);
    const title = Number(/h1 \{[^}]*font-size: ([\d.]+)rem/.exec(page)?.[1]);
    assert.ok(size > title, `${size} and ${title}`);
  }
});
