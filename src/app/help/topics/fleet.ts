import type { Topic } from './topic.js';

const text = `
Many machines, one protected server: three ways. Take the first that you can have.

- Each machine its own identity. Nothing is shared, so nothing is lost. Its platform signs a token, or it has a secret of its own (postern help machines).
- The company’s login: each machine’s tokens come from the company’s provider (postern help company).
- One login that all machines share, in Redis or Valkey. It is a person’s, made once. This page is about that one.

It is sealed before it leaves a machine; whoever reads the engine sees ciphertext, and names that say nothing. One machine at a time
refreshes it. Runners read the access token, and can do no more; refreshers, such as the keeper, have the refresh token, too.

## Keys

    (umask 077; head -c32 /dev/urandom | base64 > readers.key)
    (umask 077; head -c32 /dev/urandom | base64 > refreshers.key)

Every machine gets readers.key; refreshers.key only those that refresh. Neither comes near the engine.

## Redis or Valkey

    appendonly yes
    appendfsync always
    maxmemory-policy noeviction
    aclfile /etc/redis/users.acl

    ACL SETUSER root on >PASSWORD ~* &* +@all
    ACL SETUSER refresher on >PASSWORD ~postern/default/*
    ACL SETUSER refresher +@string +del +scan +eval +time +config|get +acl|dryrun
    ACL SETUSER runner on >PASSWORD %R~postern/default/access/* +mget +scan
    ACL SETUSER default off
    ACL SAVE

The first lines go into redis.conf (Redis 7 or later, or Valkey); type the others at redis-cli’s prompt, each user
with a password of its own. The user default is switched off but keeps its rights, since Redis reads its own log with them. Without them (user default off, in a
file) a restart loses what was written in one step, all tokens among it. Clusters and Sentinel are not followed: name the primary.

Use TLS. NAME:PASSWORD is in a file of mode 600, never in an address.
Where the engine’s certificate comes from an authority of your own, its file is named in \`NODE_EXTRA_CA_CERTS\`.

## The login

    export POSTERN_STORE=redis:rediss://cache.example:6380
    export POSTERN_STORE_KEY_FILE=$PWD/readers.key POSTERN_STORE_REFRESH_KEY_FILE=$PWD/refreshers.key
    export POSTERN_ENGINE_CREDENTIALS_FILE=$PWD/refresher.credentials
    postern login https://example.com/mcp --name work

With /NAMESPACE at the end of the address (and instead of “default” above) several fleets share one
engine. On this machine alone: redis:redis://127.0.0.1:6379 or redis:unix:/run/redis/redis.sock.

## A runner

    export POSTERN_STORE=redis:rediss://cache.example:6380 POSTERN_STORE_READ_ONLY=1
    export POSTERN_STORE_KEY_FILE=$PWD/readers.key POSTERN_ENGINE_CREDENTIALS_FILE=$PWD/runner.credentials
    postern token work
    postern call work add a:=5 b:=3

## The keeper

    postern keeper --listen 127.0.0.1:9464

It refreshes ahead of time, so that runners never wait. Run two of them: one leads; the other takes over within 20 seconds when it is killed, and at once when it is ended (SIGTERM). At 127.0.0.1:9464 are /metrics, for Prometheus, and /healthz.

## systemd

    [Service]
    DynamicUser=yes
    StateDirectory=postern
    RuntimeDirectory=postern
    Environment=POSTERN_STATE_DIR=%S/postern
    Environment=POSTERN_STORE=redis:rediss://cache.example:6380
    LoadCredential=postern-store-key:/etc/postern/readers.key
    LoadCredential=postern-store-refresh-key:/etc/postern/refreshers.key
    LoadCredential=postern-engine:/etc/postern/refresher.credentials
    ExecStart=/usr/bin/postern keeper --socket %t/postern/keeper.sock
    Restart=on-failure

## Kubernetes

    kubectl create secret generic postern-keeper --from-file=postern-store-key=readers.key --from-file=postern-store-refresh-key=refreshers.key --from-file=postern-engine=refresher.credentials
    kubectl create secret generic postern-runner --from-file=postern-store-key=readers.key --from-file=postern-engine=runner.credentials

    command: [postern, keeper, --json]
    env:
    - {name: POSTERN_STORE, value: "redis:rediss://cache.example:6380"}
    - {name: CREDENTIALS_DIRECTORY, value: /run/postern}
    - {name: POSTERN_STATE_DIR, value: /state/postern}
    volumeMounts:
    - {name: keys, mountPath: /run/postern, readOnly: true}
    - {name: state, mountPath: /state}

    securityContext: {runAsNonRoot: true, runAsUser: 1000, fsGroup: 1000}
    volumes:
    - {name: keys, secret: {secretName: postern-keeper, defaultMode: 0400}}
    - {name: state, emptyDir: {}}

These go into the container and its pod, in a Deployment of two replicas: one keeper leads, the other follows.
A runner has the same mounts and variables, the secret postern-runner, and POSTERN_STORE_READ_ONLY: "1". Mounted as
\`CREDENTIALS_DIRECTORY\` the files may be the group’s, as Kubernetes makes them; named one by one they have to be their user’s alone.

## GitHub Actions

    umask 077
    printf %s "$READERS_KEY" > "$RUNNER_TEMP/readers.key"
    printf %s "$ENGINE" > "$RUNNER_TEMP/engine"
    export POSTERN_STORE_KEY_FILE="$RUNNER_TEMP/readers.key" POSTERN_ENGINE_CREDENTIALS_FILE="$RUNNER_TEMP/engine"
    export POSTERN_STORE=redis:rediss://cache.example:6380 POSTERN_STORE_READ_ONLY=1
    postern call work add a:=5 b:=3

READERS_KEY and ENGINE (NAME:PASSWORD) come from secrets, by env of that step. Better: a token of GitHub’s own (postern help machines).

## What can be lost

- A refresh token works once at most authorization servers. If the new one is lost, log in again: on one machine, for all.
- Redis with appendfsync always writes to disk before it responds: a restart loses nothing.
- A Redis that fails over to a replica can lose what it acknowledged last, since replicas are written to afterwards; min-replicas-to-write 1 and min-replicas-max-lag 1 make that time short.
- An engine that went back in time (a failover, a copy put back) offers a refresh token that is spent. A machine that has seen the newer one says so, and does not send it: some authorization servers would take that for a theft, and end the login.
- While the engine is away, nothing works: no token is read, and none is refreshed.
- A machine that dies between the authorization server’s response and the write: its own disk still has the response, sealed.
- A stolen readers.key, with the engine’s content, gives access tokens for as long as they live; refreshers.key the login itself.
`;

export const fleet: Topic = {
  name: 'fleet',
  summary: 'one login for many machines: Redis, keeper, Kubernetes, systemd, CI',
  text: () => text,
};
