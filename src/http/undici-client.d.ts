/** The one file of undici that a request needs: all of undici takes three times as long to load. */
declare module 'undici/lib/dispatcher/client.js' {
  import type { Client } from 'undici';

  const client: typeof Client;
  export = client;
}
