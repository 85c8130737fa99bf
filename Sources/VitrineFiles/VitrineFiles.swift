// VitrineFiles
