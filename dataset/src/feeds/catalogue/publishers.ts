/** Addresses and terms of publishers that several kinds of feeds share. */
export const RIPE_TERMS = 'RIPE NCC terms';
export const GITHUB = 'https://raw.githubusercontent.com';
export const IP_LOCATION_DB = 'https://github.com/sapics/ip-location-db/releases/download/latest';
