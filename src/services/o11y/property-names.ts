// The names that SDKs use for the same property.
export const URL_NAMES = ['$current_url', 'url', 'current_url', '$url', '[Amplitude] Page URL']
export const RELEASE_NAMES = ['$release', 'release', '$app_version', 'app_version', 'version_name']
