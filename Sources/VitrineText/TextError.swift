import VitrineFiles
import VitrineScene

/// Why text can't be made.
public enum TextError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The font's file can't be read.
    case file(FileError)
    /// These bytes are no font that can be read, or the collection has no font with that number.
    case notAFont(String)
    /// No font with this name (nil: none at all) in the folders that were searched.
    case noFont(named: String?, searched: [String])
    /// The font has no pictures for these characters.
    case missingGlyphs([Character], font: String)
    /// An OpenType feature that can't be read, as it was given.
    case feature(String)
    /// More characters than `TextStyle.maximumLength`.
    case tooLong(Int)
    /// The letters' outlines can't be filled: nothing but spaces, too many.
    case path(PathError)

    public var description: String {
        switch self {
        case .file(let error): error.description
        case .notAFont(let name): "\(name): no font that can be read (TrueType and OpenType can)"
        case .noFont(let name, let searched):
            "no font\(name.map { " named \"\($0)\"" } ?? "") in \(searched.joined(separator: ", ")): name a font file, or install fonts-dejavu-core"
        case .missingGlyphs(let characters, let font):
            "\(font) has no letter for \(characters.map { "\"\($0)\"" }.joined(separator: ", "))"
        case .feature(let text): "\"\(text)\" is no OpenType feature (as in \"smcp\" or \"liga=0\")"
        case .tooLong(let count): "the text has \(count) characters, the limit is \(TextStyle.maximumLength)"
        case .path(let error): error.description
        }
    }
}
