/// The keys that Apple's frameworks are known to put into an app's preferences.
///
/// Apps begin names of their own with `Apple`, `NS`, `IN` and the like too, so a key is the system's by
/// its whole name only, or by a beginning that nobody else writes. What is not known is the app's.
enum SystemKeys {
  static func contains(_ key: String) -> Bool {
    names.contains(key) || beginnings.contains { key.hasPrefix($0) }
  }

  /// What AppKit saves for a view or a window has the class, a space and a name that the app gave.
  ///
  /// https://developer.apple.com/documentation/appkit/nswindow/setframeautosavename(_:)
  private static let beginnings = [
    "com.apple.", "NSOutlineView Items ", "NSSplitView Subview Frames ", "NSStatusItem ",
    "NSTableView ", "NSToolbar Configuration ", "NSWindow Frame ",
  ]

  private static let names: Set<String> = [
    "AddingEmojiKeybordHandled", "AKDeviceUnlockState", "AKLastCheckInAttemptDate",
    "AKLastCheckInSuccessDate", "AKLastEmailListRequestDateKey", "AKLastIDMSEnvironment",
    "AKLastLocale", "AppleAccentColor", "AppleActionOnDoubleClick", "AppleAntiAliasingThreshold",
    "AppleAquaColorVariant", "AppleCollationOrder", "AppleFirstWeekday", "AppleFontSmoothing",
    "AppleHighlightColor", "AppleICUDateFormatStrings", "AppleICUForce12HourTime",
    "AppleICUForce24HourTime", "AppleICUForceGregorianCalendar", "AppleICUNumberSymbols",
    "AppleICUTimeFormatStrings", "AppleInterfaceStyle",
    "AppleInterfaceStyleSwitchesAutomatically", "AppleITunesStoreItemKinds", "AppleKeyboards",
    "AppleKeyboardsExpanded", "AppleKeyboardUIMode", "AppleLanguages",
    "AppleLanguagesDidMigrate", "AppleLanguagesSchemaVersion", "AppleLocale",
    "AppleMeasurementUnits", "AppleMetricUnits", "AppleMiniaturizeOnDoubleClick",
    "ApplePasscodeKeyboards", "ApplePerAppLanguageSelectionBundleIdentifiers",
    "ApplePressAndHoldEnabled", "AppleScrollerPagingBehavior", "AppleShowAllExtensions",
    "AppleShowScrollBars", "AppleSpacesSwitchOnActivate", "AppleTemperatureUnit",
    "AppleTextBreakLocale", "AppleTextDirection", "AppleWindowTabbingMode",
    "INNextDelayedOfferFailsafeDateKey",
    "INNextFreshmintRefreshDateKey", "INNextHearbeatDate", "MSVLoggingMasterSwitchEnabledKey",
    "NSAllowsDefaultLineBreakStrategy", "NSAutomaticCapitalizationEnabled",
    "NSAutomaticDashSubstitutionEnabled", "NSAutomaticPeriodSubstitutionEnabled",
    "NSAutomaticQuoteSubstitutionEnabled", "NSAutomaticSpellingCorrectionEnabled",
    "NSAutomaticTextCompletionCollapsed", "NSAutomaticTextCompletionEnabled",
    "NSColorPanelMode",
    "NSFontPanelAttributes", "NSForceRightToLeftWritingDirection", "NSHyphenatesAsLastResort",
    "NSInterfaceStyle", "NSLanguages", "NSLinguisticDataAssetsRequested",
    "NSLinguisticDataAssetsRequestedByChecker", "NSLinguisticDataAssetsRequestLastInterval",
    "NSLinguisticDataAssetsRequestTime", "NSNavBrowserPreferedColumnContentWidth",
    "NSNavLastCurrentDirectory", "NSNavLastRootDirectory",
    "NSNavLastUserSetHideExtensionButtonState", "NSNavPanelExpandedSizeForOpenMode",
    "NSNavPanelExpandedSizeForSaveMode", "NSNavPanelExpandedStateForSaveMode",
    "NSNavPanelExpandedStateForSaveMode2", "NSNavPanelFileLastListModeForOpenModeKey",
    "NSNavPanelFileListModeForOpenMode2", "NSNavRecentPlaces", "NSNavSidebarWidth",
    "NSOSPLastRootDirectory", "NSPersonNameDefaultDisplayNameOrder",
    "NSPersonNameDefaultShortNameFormat", "NSPreferredWebServices", "NSQuitAlwaysKeepsWindows",
    "NSRecentDocumentRecords",
    "NSSpellCheckerContainerTransitionComplete", "NSTableViewDefaultSizeMode",
    "NSUserDictionaryReplacementItems", "NSUserQuotesArray",
    "NSUsesCFStringTokenizerForLineBreaks", "NSUsesTextStylesForLineBreaks",
    "NSVisualBidiSelectionEnabled", "PKContactlessInterfaceHomeButtonSourceHasOccuredKey",
    "PKEnableStockholmSettings", "PKKeychainVersionKey", "PKLogNotificationServiceResponsesKey",
    "TVRCDeviceIdentifierKey", "TVRCDeviceTimeoutKey", "TVRCMostRecentlyConnectedIDKey",
    "WebKitDiskImageCacheSavedCacheDirectory", "WebKitLocalStorageDatabasePathPreferenceKey",
    "WebKitOfflineWebApplicationCacheEnabled", "WebKitShowLinkPreviews",
    "WebKitUseSystemAppearance",
  ]
}
