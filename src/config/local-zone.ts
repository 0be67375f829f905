/** The time zone of this machine, as an IANA name. */
export const localZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;
