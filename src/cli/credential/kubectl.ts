import { requestUnusable } from '../../errors/credential.js';
import { asObject, parseJson, stringField } from '../../primitives/json.js';

export interface ClusterInfo {
  readonly apiVersion: string;
  /** The cluster's address, where the configuration says `provideClusterInfo`. */
  readonly server: string | undefined;
}

const known = ['client.authentication.k8s.io/v1', 'client.authentication.k8s.io/v1beta1'];
/** Certificates of a cluster are in it, too. */
const mostCharacters = 262_144;

/** KUBERNETES_EXEC_INFO; '' where somebody else calls. @throws Failure `request_unusable` */
export function readClusterInfo(text: string): ClusterInfo {
  if (text === '') {
    return { apiVersion: known[0] ?? '', server: undefined };
  }
  const parsed = text.length > mostCharacters ? undefined : parseJson(new TextEncoder().encode(text.trim()));
  const info = parsed?.ok ? asObject(parsed.value) : undefined;
  const apiVersion = info && stringField(info, 'apiVersion');
  if (info === undefined || apiVersion === undefined || !known.includes(apiVersion)) {
    throw requestUnusable(
      'kubectl',
      `KUBERNETES_EXEC_INFO has to be an ExecCredential of ${known.join(' or ')}`,
    );
  }
  const cluster = asObject(asObject(info['spec'])?.['cluster']);
  return { apiVersion, server: cluster && stringField(cluster, 'server') };
}
