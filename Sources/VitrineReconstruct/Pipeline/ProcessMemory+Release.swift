import VitrineFiles

#if canImport(Glibc)
    import Glibc
#endif

extension ProcessMemory {
    /// Returns freed memory to the system, which glibc otherwise keeps for later allocations. Does nothing with other libraries.
    static func releaseUnused() {
        #if canImport(Glibc)
            // malloc.h is not part of Swift's module of glibc. nil searches all loaded libraries.
            guard let symbol = dlsym(nil, "malloc_trim") else { return }
            typealias Trim = @convention(c) (Int) -> Int32
            _ = unsafeBitCast(symbol, to: Trim.self)(0)
        #endif
    }
}
