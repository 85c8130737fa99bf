/// A section of options in the help of a command.
struct OptionSection<Settings>: Sendable {
    /// The title: one or two lower-case words, such as "camera". `vitrine help COMMAND TITLE` prints one section.
    let title: String
    let options: [CommandOption<Settings>]

    init(_ title: String, _ options: [CommandOption<Settings>]) { (self.title, self.options) = (title, options) }

    /// The same section for settings that contain these settings.
    func within<Outer>(_ path: WritableKeyPath<Outer, Settings> & Sendable) -> OptionSection<Outer> {
        OptionSection<Outer>(title, options.map { $0.within(path) })
    }

    /// Merges sections with the same title, in the order of their first occurrence.
    static func merged(_ sections: [OptionSection]) -> [OptionSection] {
        var merged: [OptionSection] = []
        for section in sections where !section.options.isEmpty {
            if let index = merged.firstIndex(where: { $0.title == section.title }) {
                merged[index] = OptionSection(section.title, merged[index].options + section.options)
            } else {
                merged.append(section)
            }
        }
        return merged
    }
}
