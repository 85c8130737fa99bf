internal import CSDL

extension Window {
    /// The version of the SDL library.
    public nonisolated static var libraryVersion: String {
        var version = SDL_version()
        SDL_GetVersion(&version)
        return "\(version.major).\(version.minor).\(version.patch)"
    }
}
