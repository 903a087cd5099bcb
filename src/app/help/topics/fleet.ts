import type { Topic } from './topic.js';

const text = `
One login for any number of machines is kept in Redis, Valkey or etcd: sealed before it leaves a machine.

## Which one

    redis:rediss://HOST:PORT      Redis 5 or later, or Valkey, over TLS
    redis:redis://127.0.0.1:PORT  the same, on this machine alone
    redis:unix:/path/to/socket    the same, by its socket
    etcd:https://HOST:PORT        etcd 3.4 or later

/NAMESPACE at the end lets several fleets share one engine. Name and password are in a file, NAME:PASSWORD, of mode 600, that
\`POSTERN_ENGINE_CREDENTIALS_FILE\` names.
`;

export const fleet: Topic = {
  name: 'fleet',
  summary: 'one login for many machines, shared by Redis, Valkey or etcd',
  text: () => text,
};
