// Lets libxml2 call back for every element and text of a file, and does nothing with them: the least
// that reading XML can cost. property-lists.sh compiles and runs it.
//
//     sax FILE     prints the seconds, and how many elements and bytes of text there were
#include <libxml/parser.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static unsigned long elements, bytes;

static void start(void *context, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri,
                  int namespaces, const xmlChar **space, int attributes, int defaulted,
                  const xmlChar **values) {
  elements += 1;
}

static void characters(void *context, const xmlChar *text, int count) {
  bytes += (unsigned long)count;
}

int main(int count, char **arguments) {
  if (count != 2) return 64;
  xmlSAXHandler handler;
  memset(&handler, 0, sizeof handler);
  handler.initialized = XML_SAX2_MAGIC;
  handler.startElementNs = start;
  handler.characters = characters;
  handler.ignorableWhitespace = characters;
  handler.cdataBlock = characters;
  struct timespec before, after;
  clock_gettime(CLOCK_MONOTONIC, &before);
  int result = xmlSAXUserParseFile(&handler, NULL, arguments[1]);
  clock_gettime(CLOCK_MONOTONIC, &after);
  double seconds = (double)(after.tv_sec - before.tv_sec)
    + (double)(after.tv_nsec - before.tv_nsec) / 1e9;
  printf("a bare libxml2 SAX2 pass  %6.2f s, %lu elements, %lu bytes of text\n", seconds, elements,
         bytes);
  return result != 0;
}
