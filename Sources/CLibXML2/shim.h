#pragma once
// Debian's build of libxml2 includes the headers of ICU, which clash with those that Foundation
// brings; nothing of them is needed here.
#include <libxml/xmlversion.h>
#undef LIBXML_ICU_ENABLED
#include <libxml/parser.h>
#include <libxml/parserInternals.h>
#include <libxml/xmlerror.h>
