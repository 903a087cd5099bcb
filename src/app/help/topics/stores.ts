import type { Topic } from './topic.js';

const text = `
Tokens, client secrets and keys are kept in the keychain of the system: Secret Service on Linux, Keychain on macOS, Credential
Manager on Windows. There is no plain-text store, and never a silent downgrade: without a keychain it is exit code 7, and what to do.

By choice (\`login --store\`, \`POSTERN_STORE\`, or \`store\` in the configuration):

keychain :: the keychain of the system
file :: sealed files in the state folder, AES-256-GCM, one for each secret
helper:NAME :: the program docker-credential-NAME on the PATH (pass, secretservice, osxkeychain, wincred and others)
redis:URL :: Redis or Valkey: one login for any number of machines
memory :: for \`call\`, \`request\` and \`bridge\`: a login for that one command, gone with it

## KWallet and KeePassXC

On Linux the keychain is whichever program is the Secret Service of the session: GNOME Keyring, KWallet and KeePassXC are known,
and what is wrong with one is said in its own words.

- KWallet writes to disk some seconds after a change. Where it is killed within them, log in again.
- KeePassXC is one after Tools, Settings, Secret Service Integration: enable it, and expose a group of the database in Database,
  Database Settings. The same page has whether it asks before each read: scripts need “Confirm when passwords are retrieved by clients” cleared.

## Linux without a desktop

Over SSH, in CI and in containers there is often no session bus, and so no keychain. Use sealed files, or start a keychain of your
own in a shell:

    dbus-run-session -- bash
    read -rs password && printf %s "$password" | gnome-keyring-daemon --unlock --components=secrets

The second line waits for the keyring’s password, a new one at the first time: type it, unseen, and Enter.

## Sealed files

The key comes from the file that \`POSTERN_STORE_KEY_FILE\` names, from systemd’s credential \`postern-store-key\`, or from a passphrase
that is asked for at the terminal.

    head -c32 /dev/urandom | base64 > ~/postern.key
    chmod 600 ~/postern.key
    export POSTERN_STORE_KEY_FILE=~/postern.key
    postern login https://example.com/mcp --store file

The key file holds 32 random bytes or more, is closed to others, and lies outside of the state folder.

## One login for many machines

    export POSTERN_STORE=redis:rediss://cache.example:6380
    export POSTERN_STORE_KEY_FILE=~/readers.key POSTERN_STORE_REFRESH_KEY_FILE=~/refreshers.key
    postern login https://example.com/mcp --name work

Every machine with the same settings has that login, by its name and by its server. One of them at a time refreshes it. A login is
two sealed items: the access token’s, which the key of the readers opens, and the refresh token’s with the client’s secret, which the
key of the refreshers opens. Both are files of 32 random bytes, two different ones; systemd’s credentials are
\`postern-store-key\` and \`postern-store-refresh-key\`.

- A machine that is only to use tokens gets the readers’ key alone, and \`POSTERN_STORE_READ_ONLY=1\` (\`storeReadOnly\`): it never writes
  and never refreshes. Where the token has ended, it waits 10 s for another.
- The address comes from you alone (option, variable, \`postern config\`) and holds no password: NAME:PASSWORD is in the file that
  \`POSTERN_ENGINE_CREDENTIALS_FILE\` names. Plain connections are for this machine.
- While the engine is away, a token that was read in the last 15 minutes is used as long as it lives; nothing is refreshed.
- A machine that dies with its refresh token sent and no response written leaves a note: no other sends that token again, as it works
  only once. When the token has ended, a command names that machine; run there, it writes the response it still has. Else log in again.
- \`logout\` ends the login for all machines; \`logout --local\` forgets it on this one.

## Change the store

    postern move file
    postern move keychain

\`move\` takes every login to another store. Each secret is written there and read again before it is removed where it was.

## What is not secret

The list of logins is \`logins.json\` in the state folder: \`$XDG_STATE_HOME/postern\`, or \`POSTERN_STATE_DIR\`; at most 1,000
logins, and no secret.
`;

export const stores: Topic = {
  name: 'stores',
  summary: 'where logins are kept: keychain, sealed files, helper programs, shared by machines',
  text: () => text,
};
