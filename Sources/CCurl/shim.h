#pragma once
#include <curl/curl.h>

/* libcurl's varargs calls, typed, so that Swift can call them. One wrapper per kind of argument. */
static inline const char *ccurl_version(void) { return curl_version(); }
