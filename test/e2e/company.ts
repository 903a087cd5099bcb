import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type AtStage, authorizationUrlOf } from '../support/at-stage.js';
import { type SandboxClient, walkLogin } from '../support/product.js';
import type { Finished } from '../support/program.js';

export const toolSecret = 'canary-secret-of-the-tool-0123456789';
export const companySecret = 'canary-secret-at-the-company-0123456789';

/** A client of the server's authorization server that the company's provider vouches for. */
export const clients: readonly SandboxClient[] = [
  {
    client_id: 'tool',
    client_secret: toolSecret,
    company: 'company-tool',
    company_secret: companySecret,
    redirect_uris: [],
  },
];

export const providerOf = ({ sandbox }: Pick<AtStage, 'sandbox'>): string => `${sandbox.issuer}/company`;

/** The options of a first login, with both secrets in files. */
export async function companyOptions(
  stage: AtStage,
  { issuer }: Pick<AtStage['sandbox'], 'issuer'> = stage.sandbox,
): Promise<readonly string[]> {
  const file = async (name: string, text: string) => {
    const path = join(stage.home.path, name);
    await writeFile(path, `${text}\n`, { mode: 0o600 });
    return path;
  };
  return [
    ...['--idp', providerOf(stage), '--idp-client-id', 'company-tool'],
    ...['--idp-client-secret-file', await file('company.secret', companySecret)],
    ...['--client-id', 'tool', '--client-secret-file', await file('tool.secret', toolSecret)],
    ...['--authorization-server', issuer],
  ];
}

/** A login for which somebody opens the provider's page and says who they are. */
export async function loginInBrowser(stage: AtStage, words: readonly string[], account = 'alice'): Promise<Finished> {
  const program = stage.start('login', ...words, '--no-browser');
  await walkLogin(await authorizationUrlOf(program), { account });
  return await program.finished;
}

/** The requests at the provider's token endpoint, by grant. */
export function askedOfProvider({ sandbox }: Pick<AtStage, 'sandbox'>): readonly string[] {
  return sandbox.requests.flatMap(({ path, params }) => {
    const grant = new Map(params).get('grant_type') ?? '';
    return path.endsWith('/company/token') ? [grant.replace(/^.*:/, '')] : [];
  });
}

/** What was shown at the server's authorization server to get a token. */
export function idJagsOf({ sandbox }: Pick<AtStage, 'sandbox'>): readonly string[] {
  return sandbox.requests.flatMap(({ path, params }) =>
    path.endsWith('/token') && !path.includes('/company/') ? (new Map(params).get('assertion') ?? []) : [],
  );
}

/** Longer than a token of 3 s lives, which is long enough for a `call` on a busy machine. */
export const threeSeconds = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 3200));

/** Until a token of one second has ended. */
export const aSecond = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 1100));
