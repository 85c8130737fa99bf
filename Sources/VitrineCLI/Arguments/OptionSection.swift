/// Options of a command under one heading of its help.
struct OptionSection<Settings>: Sendable {
    /// One lower-case word or two, as "camera". `vitrine help COMMAND TITLE` shows one section.
    let title: String
    let options: [CommandOption<Settings>]

    init(_ title: String, _ options: [CommandOption<Settings>]) { (self.title, self.options) = (title, options) }

    /// The same section for a command whose settings contain these.
    func within<Outer>(_ path: WritableKeyPath<Outer, Settings> & Sendable) -> OptionSection<Outer> {
        OptionSection<Outer>(title, options.map { $0.within(path) })
    }

    /// Sections of the same title become one, in the order in which titles first appear.
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
