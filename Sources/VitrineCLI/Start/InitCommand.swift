import Vitrine
import VitrineSamples

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Command {
    static let initialize = Command(
        name: "init", summary: "Creates a Swift package, or a page, to start from.",
        help: {
            InitSettings.table.help(
                command: "init", summary: InitSettings.summary, examples: InitSettings.examples, notes: InitSettings.notes)
        },
        run: { arguments in
            var settings = InitSettings()
            let folder = try InitSettings.table.parse(arguments, into: &settings)[0]
            if settings.template == .web {
                try await cancellable { try await writePage(folder) }
            } else {
                try writePackage(folder, settings)
            }
        }, relatedWords: ["new", "create", "template", "start"])

    /// A package with one program.
    private static func writePackage(_ folder: String, _ settings: InitSettings) throws {
        let name = URL(fileURLWithPath: folder).lastPathComponent
        guard name.first?.isLetter == true, name.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || "-_".contains($0)) }) else {
            throw UsageError("'\(name)': the last part of NAME must start with a letter and consist of letters, digits, - and _")
        }
        let source = try settings.package.map(InitSettings.source) ?? checkout.map { ".package(name: \"Vitrine\", path: \(quoted($0)))" }
        guard let source else {
            throw UsageError(
                "--package PATH is required: Vitrine's source has no public address yet, and this command was not built in a copy of it")
        }
        try NewFolder.make(folder)
        let products = settings.template.products.map { ".product(name: \"\($0)\", package: \"Vitrine\")" }
        try ProgramFiles.write(
            """
            // swift-tools-version: 6.1
            import PackageDescription

            let package = Package(
                name: "\(name)",
                platforms: [.macOS(.v15)],
                dependencies: [\(source)],
                targets: [
                    .executableTarget(name: "\(name)", dependencies: [\(products.joined(separator: ", "))], path: "Sources")
                ],
                swiftLanguageModes: [.v6]
            )

            """, to: "\(folder)/Package.swift")
        for file in ProgramFiles.files(of: settings.template.example) where file.name.hasSuffix(".swift") {
            try ProgramFiles.write(file.bytes, to: "\(folder)/Sources/\(file.name)")
        }
        try ProgramFiles.write(".build/\n", to: "\(folder)/.gitignore")
        print("\(folder): a package. The first build takes minutes:\n  cd \(folder) && swift run\(settings.template.arguments(name))")
    }

    /// A page with a model and the files of the viewer.
    @MainActor private static func writePage(_ folder: String) async throws {
        try NewFolder.make(folder)
        let temporary = FileManager.default.temporaryDirectory.appendingPathComponent("vitrine-init-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: temporary, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: temporary) }
        let model = temporary.appendingPathComponent("owl.glb")
        for warning in try ModelFile.write(try SampleOwl.scene(compressesTextures: true), to: model) { printError("warning: \(warning)") }
        var settings = WebSettings()
        (settings.output, settings.shadow) = (folder, 0.7)
        let page = try await WebJob(input: model.path, settings: settings).makePage().page
        // The page of the example replaces the generated one.
        let own = ProgramFiles.files(of: "WebPage").map { WebFile(name: $0.name, bytes: $0.bytes) }
        let names = Set(own.map(\.name))
        try WebFolder(path: folder).write(page.folder.filter { !names.contains($0.name) } + own)
        print("\(folder): a page with a model. A browser with WebGPU shows it:\n  cd \(folder) && python3 -m http.server")
    }

    /// The copy of Vitrine's source in which this command was built: the folder that contains `.build/release`.
    private static var checkout: String? {
        guard var folder = SystemPath.resolvingLinks("/proc/self/exe") else { return nil }
        while folder != "/", !folder.isEmpty {
            folder = folder.deletingLastPathComponent
            if FileStatus(path: folder + "/Sources/Vitrine/Vitrine.swift") != nil, FileStatus(path: folder + "/Package.swift") != nil {
                return folder
            }
        }
        return nil
    }

    fileprivate static func quoted(_ text: String) -> String {
        "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }
}

private struct InitSettings {
    enum Template: String, CaseIterable {
        case viewer, photos, ar, web

        /// The example from which the program is copied.
        var example: String {
            switch self {
            case .viewer: "Viewer"
            case .photos: "PhotosToModel"
            case .ar: "TapToPlace"
            case .web: "WebPage"
            }
        }

        var products: [String] {
            switch self {
            case .viewer: ["Vitrine"]
            case .photos: ["Vitrine", "VitrineReconstruct"]
            case .ar: ["Vitrine", "VitrineAR", "VitrineSimulation"]
            case .web: []
            }
        }

        /// The end of the line that runs the program.
        func arguments(_ name: String) -> String { self == .photos ? " -c release \(name) PHOTOS model.usdz" : "" }
    }

    var template = Template.viewer
    var package: String?

    /// The dependency in a manifest.
    static func source(_ text: String) throws -> String {
        if text.contains("://") || text.hasPrefix("git@") { return ".package(url: \(Command.quoted(text)), branch: \"main\")" }
        let path = URL(fileURLWithPath: text).standardizedFileURL.path
        guard FileStatus(path: path + "/Package.swift") != nil else {
            throw CommandError(file: text, reason: "has no Package.swift: name the folder of Vitrine's source")
        }
        return ".package(name: \"Vitrine\", path: \(Command.quoted(path)))"
    }

    static let summary =
        "Creates a package in the new folder NAME, with a program that shows a window, and prints how to run it; with --template web a page."
    static let examples = [
        "vitrine init hello && cd hello && swift run", "vitrine init scanner --template photos --package ~/vitrine",
        "vitrine init shop --template web",
    ]
    static let notes = """
        Packages need Swift 6.1 and Vitrine's source, with its libraries set up (make setup there). 'swift build' needs no options; \
        'swift build -c release -Xcc -mavx2 -Xcc -mfma' makes photos several times faster on processors that have AVX2 and FMA.
        """
    static let table = ArgumentTable<InitSettings>(
        operands: ["NAME"],
        options: [
            CommandOption(
                "--template", value: "KIND",
                help: "viewer: a model in a window (default); photos: photos to a model; ar: objects in a camera image; web: a page."
            ) { (settings, text) throws(UsageError) in
                guard let template = Template(rawValue: text) else {
                    throw UsageError("'\(text)': KIND must be one of \(Template.allCases.map(\.rawValue).joined(separator: ", "))")
                }
                settings.template = template
            },
            CommandOption(
                "--package", value: "PATH",
                help: "The folder or the git address of Vitrine's source. Default: the copy in which this command was built."
            ) { $0.package = $1 },
        ])
}
