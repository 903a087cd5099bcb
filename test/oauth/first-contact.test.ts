import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openOwnScene } from '../support/flows/own-scene.js';
import { openScene } from '../support/flows/scene.js';
import { openMachine } from '../support/machine.js';

test('[A-270] a first login says that server and authorization server are new here, a later one does not', async () => {
  await using scene = await openScene();
  await using own = await openOwnScene();
  const told = () => scene.ports.told.join('\n');
  await scene.login({ server: own.server.url });
  assert.match(told(), /First login to this server\. Check both addresses\./);
  const before = scene.ports.told.length;
  await scene.login({ server: own.server.url });
  await scene.login({ server: own.server.url, account: 'work' });
  assert.doesNotMatch(scene.ports.told.slice(before).join('\n'), /First login/);
  await using lookalike = await openOwnScene();
  lookalike.server.publish({ authorization_servers: [own.issuer.issuer] });
  await scene.login({ server: lookalike.server.url });
  assert.match(scene.ports.told.slice(before).join('\n'), /First login to this server\. Check its address\./);
});

test('[A-270] a name in letters that look like others is refused; its A-label is taken, and shown as it is', async () => {
  await using machine = await openMachine();
  for (const typed of ['https://аррle.example/mcp', 'https://bücher.example/mcp']) {
    assert.equal((await machine.run(['login', typed])).code, 2, typed);
  }
  const label = 'https://xn--le-6kcc4ezb.example/mcp';
  assert.match((await machine.run(['token', label])).stderr, new RegExp(`postern login ${label}\\n`));
});

test('a scope that a person asked for and nobody lists is told of, one that is listed is not', async () => {
  await using scene = await openScene();
  await using own = await openOwnScene();
  own.server.publish({ authorization_servers: [own.issuer.issuer], scopes_supported: ['mcp:basic'] });
  const noted = () => scene.ports.journal.steps.filter(({ name }) => name === 'scopes');
  const asked = (...named: string[]) => ({ server: own.server.url, scopes: named });
  await scene.login(asked('mcp:basic'));
  assert.deepEqual(noted(), []);
  await scene.login(asked('mcp:basic', 'mcp:basik'));
  assert.deepEqual(
    noted().map((step) => [step.asked, step.verdict, step.note]),
    [['mcp:basik', 'warning', 'Check the spelling of --scope.']],
  );
});
