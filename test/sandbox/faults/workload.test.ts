import { workloadFaults } from '../../../src/sandbox/faults/workload.js';
import { form, observe, proveFaults, type Seen } from './observe.js';

/** A token of the platform, and what it gets. */
interface Workload {
  readonly header: Readonly<Record<string, unknown>>;
  readonly claims: Readonly<Record<string, unknown>>;
  readonly signature: string;
  readonly exchanged: Seen;
}

const seconds = () => Date.now() / 1000;

proveFaults<Workload>(
  workloadFaults(),
  async (sandbox, arm) => {
    arm();
    const assertion = (await observe(`${sandbox.issuer}/workload/token`)).text.trim();
    const grant_type = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
    const fields = { grant_type, assertion, client_id: 'job', resource: sandbox.serverUrl };
    const exchanged = await observe(`${sandbox.issuer}/token`, form(fields));
    const [header = '', claims = '', signature = ''] = assertion.split('.');
    const part = (text: string) => JSON.parse(Buffer.from(text, 'base64url').toString());
    return { header: part(header), claims: part(claims), signature, exchanged };
  },
  {
    'workload-other-audience': ({ claims }) => String(claims['aud']).includes('kubernetes'),
    'workload-two-audiences': ({ claims }) => Array.isArray(claims['aud']) && claims['aud'].length === 2,
    'workload-expired': ({ claims }) => Number(claims['exp']) < seconds(),
    'workload-too-early': ({ claims }) => Number(claims['nbf']) > seconds(),
    'workload-unsigned': ({ header, signature }) => header['alg'] === 'none' && signature === '',
    'workload-refused': ({ exchanged }) => exchanged.status === 400 && exchanged.text.includes('no such workload'),
  },
);
