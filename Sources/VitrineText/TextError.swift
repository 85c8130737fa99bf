import VitrineImageFiles
import VitrineScene

/// An error of reading a font or laying out text.
public enum TextError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The font file cannot be read.
    case file(FileError)
    /// The bytes are not a TrueType or OpenType font, or the collection has no font with that index.
    case notAFont(String)
    /// No font with this name, or no font at all if the name is nil, is in the searched folders.
    case noFont(named: String?, searched: [String])
    /// The font has no glyphs for these characters.
    case missingGlyphs([Character], font: String)
    /// The text is not a valid OpenType feature.
    case feature(String)
    /// The text has more characters than `TextStyle.maximumLength`.
    case tooLong(Int)
    /// The outlines cannot be filled, because there are only spaces, or too many points.
    case path(PathError)

    public var description: String {
        switch self {
        case .file(let error): error.description
        case .notAFont(let name): "\(name): not a valid TrueType or OpenType font"
        case .noFont(let name, let searched):
            "no font\(name.map { " named \"\($0)\"" } ?? "") in \(searched.joined(separator: ", ")): name a font file, or install fonts-dejavu-core"
        case .missingGlyphs(let characters, let font):
            "\(font) has no glyph for \(characters.map { "\"\($0)\"" }.joined(separator: ", "))"
        case .feature(let text): "\"\(text)\" is not an OpenType feature (examples: \"smcp\" or \"liga=0\")"
        case .tooLong(let count): "the text has \(count) characters, the limit is \(TextStyle.maximumLength)"
        case .path(let error): error.description
        }
    }
}
