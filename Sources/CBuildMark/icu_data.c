// A release has a part of ICU's data for people of all languages: .ci/icu-data.py says which, and why. The
// linker takes it instead of the library's, since it is here first. Any other build has the library's.
#ifdef FERRY_ICU_DATA
__asm__(".include \"" FERRY_ICU_DATA "\"");
#endif
typedef int icu_data_of_a_release;
