import VitrineMotion

/// The keys of a set of commands.
package struct KeyBindings<Command: Sendable>: Sendable {
    private let bindings: [(command: Command, key: Key, shift: Bool?)]

    /// Creates a table of key bindings.
    ///
    /// - Parameter bindings: The keys of the commands. A `shift` of nil matches with and without the shift key.
    package init(_ bindings: [(command: Command, key: Key, shift: Bool?)]) { self.bindings = bindings }

    /// Returns the command of a key; nil if it has none. Keys with control, alt or command are reserved for the desktop and have none.
    package func command(_ key: Key, _ modifiers: KeyModifiers) -> Command? {
        guard modifiers.isDisjoint(with: [.control, .alt, .command]) else { return nil }
        let shift = modifiers.contains(.shift)
        return bindings.first { $0.key == key && ($0.shift ?? shift) == shift }?.command
    }
}
