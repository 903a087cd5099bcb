import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkName } from '../../src/login/begin-login.js';
import { loginNamed } from '../stores/index/sample-login.js';

test('a name that another login has is refused, and it is said which: its server, and its account where it has one', () => {
  const work = loginNamed('work');
  const second = { ...work, name: 'second', account: 'bob' };
  const wanted = { name: 'second', server: work.server, account: work.account };
  assert.throws(() => checkName(wanted, [work, second]), {
    code: 'name_taken',
    exit: 2,
    message: 'The name "second" belongs to the login for "https://work.example/mcp" (account "bob").',
  });
  assert.throws(() => checkName({ ...wanted, name: 'work', server: 'https://b.example/' }, [work]), {
    message: 'The name "work" belongs to the login for "https://work.example/mcp".',
  });
  checkName({ ...wanted, name: 'work' }, [work, second]);
  checkName({ ...wanted, name: undefined }, [work, second]);
});
