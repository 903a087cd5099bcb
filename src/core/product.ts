/** How this program introduces itself in `initialize`; a test keeps the version equal to package.json's. */
export const clientInfo = { name: 'postern', version: '0.1.0' } as const;

/** The protocol revision asked for in `initialize`. */
export const latestProtocolVersion = '2025-11-25';
