/** How this program introduces itself in `initialize`; a test keeps the version equal to package.json's. */
export const clientInfo = { name: 'postern', version: '0.1.0' } as const;

/** The newest revision of the older era, which begins with `initialize`. */
export const latestProtocolVersion = '2025-11-25';

/** The newest revision, of the newer era: each request stands for itself. */
export const newestRevision = '2026-07-28';
