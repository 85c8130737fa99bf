import CEmbeddedFiles

/// A file that the command contains. Unchecked Sendable: its bytes are constants of the program.
struct EmbeddedFile: @unchecked Sendable {
    /// The path of the file, such as "Card/main.swift".
    let name: String
    let bytes: UnsafeBufferPointer<UInt8>

    /// The examples and the templates of programs.
    static let programs = all(vitrine_program_files())
    /// The workflows that run the tasks of a job.
    static let workflows = all(vitrine_workflow_files())
    /// The files of the web viewer, compressed with gzip. Their names are those of the uncompressed files.
    static let web = all(vitrine_web_files())

    private static func all(_ files: vitrine_embedded_files) -> [EmbeddedFile] {
        UnsafeBufferPointer(start: files.first, count: files.count).map { file in
            EmbeddedFile(name: String(cString: file.name), bytes: UnsafeBufferPointer(start: file.bytes, count: file.count))
        }
    }
}
