import assert from 'node:assert/strict';
import { test } from 'node:test';
import { needs } from '../support/needs.js';
import { gitInput, seed, work } from './seeded.js';

const skip = needs('gnome-keyring', 'dbus');
const asked = ['protocol=https', 'host=mcp.example', 'path=mcp'];

test('what keeps a good token back is said: an older git, or a life too short for what was asked', {
  skip,
}, async () => {
  await using seeded = await seed(work());
  const bearerOnly = gitInput(...asked, 'wwwauth[]=Bearer realm="x"');
  const older = await seeded.ask(['git', 'get'], { input: bearerOnly });
  assert.deepEqual([older.code, older.stdout], [0, '']);
  assert.match(
    older.stderr,
    /^postern: this server takes Bearer tokens alone, which git sends from version 2\.46 on\.\n$/,
  );
  const elsewhere = gitInput('protocol=https', 'host=other.example', 'path=mcp', 'wwwauth[]=Bearer');
  assert.equal((await seeded.ask(['git', 'get'], { input: elsewhere })).stderr, '');
  const short = await seeded.ask(['headers', 'work', '--min-ttl', '86400']);
  assert.deepEqual([short.code, short.stdout], [3, '']);
  assert.match(
    short.stderr,
    /is valid for 3[0-9]{3} s, not the 86400 s .*--min-ttl 3[0-9]{3}\).*login_expired, exit 3/,
  );
});
